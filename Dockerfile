# One image a service: docker build --target edge . (or inference, catalog, accounts, metering, sandbox, cli)
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# Everything that building needs. Install scripts are not run: no package needs one to build.
FROM packages AS build
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund
COPY . .
RUN npx nx run-many -t build --output-style=static && mkdir /usage-journal

# What the services need at run time. Optional packages are the command line of Prisma and compilers.
FROM packages AS production
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund
# Over half of it is types, source maps of others, and Prisma for databases that are not Postgres. Licences stay.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme.md' -o -iname 'changelog.md' \) -delete \
  && find node_modules/@prisma/client/runtime -type f \( -name '*mysql*' -o -name '*sqlite*' -o -name '*sqlserver*' -o -name '*cockroachdb*' \) -delete

FROM ${NODE_IMAGE} AS runtime
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0
COPY --from=production /app/node_modules node_modules
COPY --from=production /app/package.json package.json
USER node
# Asked by bash alone: a Node process for each question takes 80 times the CPU, in every container.
HEALTHCHECK --interval=3s --timeout=3s --start-period=60s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$INTERNAL_PORT && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["node", "--enable-source-maps", "main.js"]

FROM runtime AS edge
ENV INTERNAL_PORT=9100 PORT=8080 EDGE_DASHBOARD=dashboard
EXPOSE 8080
COPY --from=build /app/dist/apps/edge ./
COPY --from=build /app/dist/apps/dashboard dashboard

FROM runtime AS inference
ENV INTERNAL_PORT=9101
# A new volume takes over whose folder this is: the user of inference in docker-compose.yml.
COPY --from=build --chown=2002:2002 /usage-journal /usage-journal
COPY --from=build /app/dist/apps/inference ./

FROM runtime AS catalog
ENV INTERNAL_PORT=9102
COPY --from=build /app/prisma prisma
COPY --from=build /app/dist/apps/catalog ./

FROM runtime AS accounts
ENV INTERNAL_PORT=9103
COPY --from=build /app/prisma prisma
# Argon2 is a compiled program for each platform, and comes as an optional package.
COPY --from=build /app/node_modules/@node-rs node_modules/@node-rs
COPY --from=build /app/dist/apps/accounts ./

FROM runtime AS metering
ENV INTERNAL_PORT=9104
COPY --from=build /app/prisma prisma
COPY --from=build /app/dist/apps/metering ./

FROM runtime AS sandbox
ENV INTERNAL_PORT=9105 PORT=4010
COPY --from=build /app/dist/apps/sandbox ./

FROM runtime AS cli
HEALTHCHECK NONE
COPY --from=build /app/dist/tools/cli ./
ENTRYPOINT ["node", "--enable-source-maps", "main.js"]
CMD ["--help"]
