/** What one event of Capgo's statistics reports in Sluice. */
export type CapgoReport =
  | { readonly kind: 'active' }
  | { readonly kind: 'download'; readonly status: 'complete' | 'failed' }
  | { readonly kind: 'install'; readonly status: 'complete' | 'failed' | 'rollback' };

const ACTIVE: CapgoReport = { kind: 'active' };

const REPORTS: ReadonlyMap<string, readonly CapgoReport[]> = new Map<string, readonly CapgoReport[]>([
  ['app_moved_to_foreground', [ACTIVE]],
  ['download_complete', [{ kind: 'download', status: 'complete' }]],
  // Sent when a bundle runs; by the client for Electron at every start of the app, and with nothing else then.
  ['set', [ACTIVE, { kind: 'install', status: 'complete' }]],
  ['set_fail', [{ kind: 'install', status: 'failed' }]],
  // The app did not call notifyAppReady() in time, so the client went back to the bundle before.
  ['update_fail', [{ kind: 'install', status: 'rollback' }]],
]);

const DOWNLOAD_FAILURE =
  /^((finish_)?download_fail|download_manifest_\w+_fail|\w+_path_fail|checksum_(fail|required)|decrypt_fail|unzip_fail|insufficient_disk_space|low_mem_fail)$/;

const DOWNLOAD_FAILED: readonly CapgoReport[] = [{ kind: 'download', status: 'failed' }];

/** Empty: clients send dozens of actions that report nothing that Sluice counts. */
export function reportsOfCapgo(action: string): readonly CapgoReport[] {
  return REPORTS.get(action) ?? (DOWNLOAD_FAILURE.test(action) ? DOWNLOAD_FAILED : []);
}

/** The version that an event names: that of one file of the bundle is `1.2.3:file.js`. */
export function versionOfCapgo(name: string): string {
  const end = name.indexOf(':');
  return end < 0 ? name : name.slice(0, end);
}
