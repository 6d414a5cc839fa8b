export * from './minio-object-store';
export * from './store-address';
