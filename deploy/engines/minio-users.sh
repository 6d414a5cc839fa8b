#!/bin/sh
# Makes the bucket `sluice` and one user per service that stores objects, each with the rights that it needs. Safe to run
# again.
# Environment: MINIO_URL, MINIO_ROOT_USER, MINIO_ROOT_PASSWORD and MINIO_<SERVICE>_PASSWORD of each of them.
# Needs MinIO's own client, mc.
set -eu
export MC_CONFIG_DIR="${MC_CONFIG_DIR:-/tmp/mc}"
bucket=arn:aws:s3:::sluice
mkdir -p "$MC_CONFIG_DIR"

until mc --quiet alias set sluice "$MINIO_URL" "$MINIO_ROOT_USER" "$MINIO_ROOT_PASSWORD" >/dev/null 2>&1; do sleep 1; done
mc --quiet mb --ignore-existing sluice/sluice >/dev/null

# user SERVICE PASSWORD READS WRITES: the prefixes of objects that it may read, and those that it may also write and
# delete. Each user may write under diagnostics/, where `sluice doctor` tries the store.
user() {
  writes=$(objects "diagnostics $4")
  reads=$(objects "diagnostics $3 $4")
  cat >"$MC_CONFIG_DIR/$1.json" <<POLICY
{ "Version": "2012-10-17", "Statement": [
  { "Effect": "Allow", "Resource": ["$bucket"],
    "Action": ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"] },
  { "Effect": "Allow", "Resource": [$reads], "Action": ["s3:GetObject"] },
  { "Effect": "Allow", "Resource": [$writes],
    "Action": ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"] }
] }
POLICY
  mc --quiet admin policy create sluice "$1" "$MC_CONFIG_DIR/$1.json" >/dev/null
  mc --quiet admin user add sluice "$1" "$2" >/dev/null
  # It fails where the policy is attached already.
  mc --quiet admin policy attach sluice "$1" --user "$1" >/dev/null 2>&1 || true
}

objects() {
  list=
  for prefix in $1; do list="$list, \"$bucket/$prefix/*\""; done
  echo "${list#, }"
}

user device-updates "$MINIO_DEVICE_UPDATES_PASSWORD" bundles 'groups group-lists'
user build-pipeline "$MINIO_BUILD_PIPELINE_PASSWORD" '' bundles
user gateway "$MINIO_GATEWAY_PASSWORD" feeds 'bundles keystores group-lists'
user keys "$MINIO_KEYS_PASSWORD" '' keystores
user merchant-sync "$MINIO_MERCHANT_SYNC_PASSWORD" '' feeds
echo 'The users of the object store are ready.'
