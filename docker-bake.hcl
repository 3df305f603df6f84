# Every image for both architectures, with how it was made (provenance) and what it is made of (SBOM), into a registry:
# TOLLGATE_IMAGES=registry.example/team/ TOLLGATE_VERSION=0.1.0 docker buildx bake --push
# Several architectures and what is attested need a builder in a container, once: docker buildx create --use
variable "TOLLGATE_IMAGES" { default = "" }
variable "TOLLGATE_VERSION" { default = "latest" }

target "default" {
  name       = service
  matrix     = { service = ["edge", "inference", "catalog", "accounts", "metering", "records", "sandbox", "cli", "try"] }
  target     = service
  tags       = ["${TOLLGATE_IMAGES}tollgate-${service}:${TOLLGATE_VERSION}"]
  args       = { VERSION = TOLLGATE_VERSION }
  platforms  = ["linux/amd64", "linux/arm64"]
  attest     = ["type=provenance,mode=max", "type=sbom"]
}
