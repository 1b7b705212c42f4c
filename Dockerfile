# syntax=docker/dockerfile:1
# One image for every command of the executable: Node with its shared libraries, and the bundle, which holds its
# dependencies. There is no shell, no package manager and no node_modules. tools/image/build.sh makes the content.
ARG BASE=node:24-bookworm-slim
# What is built, since there is no .git here: `make image` passes the values of tools/identity.sh.
ARG VERSION=0.1.0+dev
ARG REVISION
ARG CREATED
# sha256:… of BASE, for a build that can be repeated.
ARG BASE_DIGEST

# The bundle is the same on each architecture, so that it is made on that of the machine.
FROM --platform=$BUILDPLATFORM ${BASE}${BASE_DIGEST:+@$BASE_DIGEST} AS program
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json LICENSE NOTICE ./
COPY packages packages
COPY src src
COPY tools tools
COPY crds crds
COPY deploy deploy
COPY examples examples
COPY docs/glossary.md docs/glossary.md
COPY docs/reference/openapi.json docs/reference/openapi.json
ARG VERSION
ARG REVISION
ARG CREATED
RUN --mount=type=cache,target=/root/.npm \
    MCE_BUILD_VERSION="$VERSION" MCE_BUILD_COMMIT="$REVISION" MCE_BUILD_DATE="$CREATED" \
    tools/image/build.sh program /image

FROM ${BASE}${BASE_DIGEST:+@$BASE_DIGEST} AS runtime
WORKDIR /build
COPY tools/image tools/image
RUN tools/image/build.sh runtime /image

FROM scratch
ARG BASE
ARG BASE_DIGEST
ARG VERSION
ARG REVISION
ARG CREATED
ARG SOURCE
LABEL org.opencontainers.image.title="multicluster-engine" \
      org.opencontainers.image.description="Selects Kubernetes clusters from one hub, and keeps the selection stable" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.documentation="$SOURCE" \
      org.opencontainers.image.base.name="$BASE" \
      org.opencontainers.image.base.digest="$BASE_DIGEST"
COPY --from=runtime /image /
COPY --from=program /image /
COPY --from=program --chown=65532:65532 /image/data /data
# What `standalone` uses in a container; a published port never changes by itself, since these count as set by the user.
ENV PATH=/usr/local/bin \
    MULTICLUSTER_ENGINE_DATA_DIR=/data \
    MULTICLUSTER_ENGINE_API_LISTEN=0.0.0.0:6443 \
    MULTICLUSTER_ENGINE_GATEWAY_LISTEN=0.0.0.0:8443 \
    MULTICLUSTER_ENGINE_CONSOLE_LISTEN=none
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/app/health.js"]
ENTRYPOINT ["node", "/app/dist/bundle/main.js"]
