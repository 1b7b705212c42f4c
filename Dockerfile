# syntax=docker/dockerfile:1
# One image for every command of the executable. The bundle is a single file, so that the final stage
# holds what runs and no dependency's folder.
ARG RUNTIME=node:24-bookworm-slim

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src src
COPY tools tools
COPY test test
COPY crds crds
COPY deploy deploy
RUN npm run bundle

# Any image with Node on its PATH will do: one without a shell is a build argument away.
FROM ${RUNTIME}
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/dist/bundle/main.js dist/src/main.js
COPY --from=build /build/crds crds
COPY --from=build /build/deploy/components deploy/components
COPY LICENSE ./
USER 65532:65532
ENTRYPOINT ["node", "/app/dist/src/main.js"]
