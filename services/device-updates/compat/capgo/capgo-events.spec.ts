import { reportsOfCapgo, versionOfCapgo } from './capgo-events';

const DOWNLOAD_FAILURES = [
  ...['download_fail', 'finish_download_fail', 'checksum_fail', 'checksum_required', 'decrypt_fail', 'unzip_fail'],
  ...['insufficient_disk_space', 'low_mem_fail', 'canonical_path_fail', 'download_manifest_file_fail'],
];
const OTHERS = ['reset', 'download_10', 'ping', 'fail', '', 'constructor'];

it.each<[action: string, reports: readonly string[]]>([
  ['set', ['active', 'install complete']],
  ['set_fail', ['install failed']],
  ['update_fail', ['install rollback']],
  ['download_complete', ['download complete']],
  ['app_moved_to_foreground', ['active']],
  ...DOWNLOAD_FAILURES.map((action): [string, string[]] => [action, ['download failed']]),
  ...OTHERS.map((action): [string, string[]] => [action, []]),
])('reads the action %j as %j', (action, reports) => {
  expect(reportsOfCapgo(action).map((report) => Object.values(report).join(' '))).toEqual(reports);
});

it('reads the version of a bundle, and of one file of it', () => {
  expect(['1.2.3', '1.2.3:assets/main.js', ''].map(versionOfCapgo)).toEqual(['1.2.3', '1.2.3', '']);
});
