# The image of Quakes: the programs as `make install` installs them, the libraries that they load, and nothing of Swift.
# The guide Deploying says how to start it. Our tests can't build it: they have no network for base images. Its
# commands, files and health check are those that `make acceptance ONLY=package` runs without an image.
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
  && apt-get install --yes -qq --no-install-recommends make git ca-certificates python3 python3-venv
WORKDIR /source
COPY . .
# Installs the headers, too.
RUN make install PREFIX=/usr DESTDIR=/image

FROM debian:12-slim
RUN apt-get update -qq \
  && apt-get install --yes -qq --no-install-recommends ca-certificates libcurl4 libpq5 libsqlite3-0 libssl3 tzdata zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --create-home --home-dir /var/lib/quakes --shell /usr/sbin/nologin quakes
COPY --from=build /image/usr/ /usr/
USER quakes
WORKDIR /var/lib/quakes
# On a local disk: a store on a network file system isn't safe.
VOLUME /var/lib/quakes
ENV QUAKES_HOST=0.0.0.0 QUAKES_PORT=8080 QUAKES_STORE=/var/lib/quakes/quakes.store
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["/usr/libexec/openswiftdata/is-healthy"]
STOPSIGNAL SIGTERM
CMD ["quakes", "serve"]
