# syntax=docker/dockerfile:1
# One image for every command of the executable. The bundle holds the dependencies, so that the final stage
# needs no node_modules.
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
COPY examples examples
RUN npm run bundle

# Any image with Node on its PATH will do: one without a shell is a build argument away.
FROM ${RUNTIME}
WORKDIR /app
COPY --from=build /build/package.json package.json
COPY --from=build /build/dist/bundle dist/bundle
COPY --from=build /build/crds crds
COPY --from=build /build/deploy deploy
COPY --from=build /build/examples examples
COPY LICENSE ./
USER 65532:65532
ENTRYPOINT ["node", "/app/dist/bundle/main.js"]
