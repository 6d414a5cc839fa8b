import { compareVersions } from './versions';

it('orders versions by their numbers, and a prerelease before its release', () => {
  const versions = ['1.10.0', '1.2.0-rc.2', '1.2.0', '1.2.0-rc.10', '1.9.3'];
  expect(versions.sort(compareVersions)).toEqual(['1.2.0-rc.2', '1.2.0-rc.10', '1.2.0', '1.9.3', '1.10.0']);
});
