# The server of `mnemis serve`: docs/server.md, "In a container".
# Memories in PostgreSQL and in SQLite files need nothing else; for Kùzu files build with --build-arg OMIT=dev.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir /package && npm pack --pack-destination /package

FROM node:22-bookworm-slim
ARG OMIT=optional
COPY --from=build /package /package
WORKDIR /app
# As a package of a project: npm leaves out nothing of a global one.
RUN echo '{"private":true}' > package.json \
  && npm install --ignore-scripts --no-audit --no-fund --omit=${OMIT} /package/*.tgz \
  && rm -rf /package /root/.npm \
  && mkdir /data && chown node:node /data && chmod 700 /data
ENV PATH=/app/node_modules/.bin:$PATH \
  NODE_ENV=production \
  XDG_DATA_HOME=/data \
  MNEMIS_SERVE_HOST=0.0.0.0 \
  MNEMIS_SERVE_PORT=7411
USER node
WORKDIR /data
VOLUME /data
EXPOSE 7411
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7411/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mnemis"]
CMD ["serve"]
