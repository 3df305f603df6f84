# One image a service: docker build --target edge . (or inference, catalog, accounts, metering, records, sandbox, cli); try holds all of them.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG NATS_IMAGE=nats:2.12-alpine

FROM ${NATS_IMAGE} AS nats
RUN cp "$(command -v nats-server)" /nats-server

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Everything that building needs. Install scripts are not run: no package needs one to build.
FROM packages AS build
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund
COPY . .
RUN npx nx run-many -t build --output-style=static && mkdir /usage-journal

# What each of them needs at run time, and nothing of another.
FROM build AS packages-of-each
RUN for name in apps/edge apps/inference apps/catalog apps/accounts apps/metering apps/records apps/sandbox tools/cli; do \
    node tools/pack-packages.mjs dist/$name /packages/${name#*/} || exit 1; \
    pages=$([ $name != apps/edge ] || echo dist/apps/dashboard/.vite/packages.json); \
    node tools/bill-of-materials.mjs ${name#*/} /packages/${name#*/} $pages >/packages/${name#*/}.cdx.json || exit 1; \
  done

FROM ${NODE_IMAGE} AS runtime
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0
# Nothing is installed there any more.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn*
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title=Tollgate org.opencontainers.image.version=$VERSION org.opencontainers.image.licenses=Apache-2.0
USER node
COPY LICENSE /LICENSE
COPY tools/healthy.sh /healthy.sh
HEALTHCHECK --interval=3s --timeout=3s --start-period=60s --retries=3 CMD ["bash", "/healthy.sh"]
CMD ["node", "main.js"]

FROM runtime AS edge
# Memory of large bodies goes back to the system when they do (docs/decisions/0015-isolation.md).
ENV INTERNAL_PORT=9100 PORT=8080 EDGE_DASHBOARD=dashboard MALLOC_TRIM_THRESHOLD_=131072
EXPOSE 8080
COPY --from=packages-of-each /packages/edge node_modules
COPY --from=packages-of-each /packages/edge.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/edge ./
COPY --from=build /app/dist/apps/dashboard dashboard

FROM runtime AS inference
ENV INTERNAL_PORT=9101
# A new volume takes over whose folder this is: the user of inference in docker-compose.yml.
COPY --from=build --chown=2002:2002 /usage-journal /usage-journal
COPY --from=packages-of-each /packages/inference node_modules
COPY --from=packages-of-each /packages/inference.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/inference ./

FROM runtime AS catalog
ENV INTERNAL_PORT=9102
COPY --from=build /app/prisma prisma
COPY --from=packages-of-each /packages/catalog node_modules
COPY --from=packages-of-each /packages/catalog.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/catalog ./

FROM runtime AS accounts
ENV INTERNAL_PORT=9103
COPY --from=build /app/prisma prisma
COPY --from=packages-of-each /packages/accounts node_modules
COPY --from=packages-of-each /packages/accounts.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/accounts ./

FROM runtime AS metering
ENV INTERNAL_PORT=9104
COPY --from=build /app/prisma prisma
COPY --from=packages-of-each /packages/metering node_modules
COPY --from=packages-of-each /packages/metering.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/metering ./

# Accounts, catalog and metering in one process. The port of each is its default one; these are for the health check.
FROM runtime AS records
ENV INTERNAL_PORT="9102 9103 9104"
COPY --from=build /app/prisma prisma
COPY --from=packages-of-each /packages/records node_modules
COPY --from=packages-of-each /packages/records.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/records ./

FROM runtime AS sandbox
ENV INTERNAL_PORT=9105 PORT=4010
COPY --from=packages-of-each /packages/sandbox node_modules
COPY --from=packages-of-each /packages/sandbox.cdx.json sbom.cdx.json
COPY --from=build /app/dist/apps/sandbox ./

FROM runtime AS cli
HEALTHCHECK NONE
COPY --from=build /app/prisma prisma
COPY --from=packages-of-each /packages/cli node_modules
COPY --from=packages-of-each /packages/cli.cdx.json sbom.cdx.json
COPY --from=build /app/dist/tools/cli ./
ENTRYPOINT ["node", "main.js"]
CMD ["--help"]

# To try it: everything, with a Postgres, a nats-server and the simulated providers, in one container.
# docker build --target try -t tollgate-try . && docker run --rm -p 127.0.0.1:8080:8080 tollgate-try
FROM build AS release
RUN node --import tsx tools/release/main.ts /release

FROM ${NODE_IMAGE} AS try
WORKDIR /app
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title=Tollgate org.opencontainers.image.version=$VERSION org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production HOST=0.0.0.0 TOLLGATE_DATA=/data
RUN mkdir /data && chown node:node /data
COPY --from=nats /nats-server /usr/local/bin/nats-server
COPY --from=release /release ./
USER node
VOLUME /data
EXPOSE 8080
CMD ["node", "tools/stack/main.js"]
