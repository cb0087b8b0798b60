# A version with years of security updates before it; both stages have the same.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY dashboard/package.json ./dashboard/
# No package of ours needs its install script, and none of another's is to run unasked.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY openapi.json ./
COPY dashboard ./dashboard
# The dashboard reads lists of recipients as npm run send does.
COPY tools/send ./tools/send
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="messaging-gateway" org.opencontainers.image.version="1.0.0"
ENV NODE_ENV=production LOG_FORMAT=json PORT=3000 OPS_PORT=3000
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/dashboard/dist ./dashboard/dist
USER node
EXPOSE 3000
# Building indexes on a large collection may take the start its minutes. Without the api role the service listens on OPS_PORT.
HEALTHCHECK --start-period=10m --start-interval=2s --interval=30s --timeout=5s --retries=3 \
  CMD ["node", "-e", "const { APP_ROLES, PORT, OPS_PORT } = process.env; const port = !APP_ROLES || APP_ROLES.includes('api') ? PORT : OPS_PORT; fetch(`http://127.0.0.1:${port}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/main.js"]
