export * from './builds';
export * from './call';
export * from './credentials';
export * from './keys';
export * from './listings';
export * from './paging';
export * from './registry';
export * from './values';
