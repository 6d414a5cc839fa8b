import type { Adoption } from '@sluice/contracts';
import { daysUntil, shareOn } from './reached';

const adoption: Adoption = {
  days: ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'],
  total: [10, 10, 0, 10],
  versions: [
    { version: '1.0.0', active: [9, 4, 0, 1] },
    { version: '1.1.0', active: [0, 6, 0, 3] },
    { version: '1.2.0', active: [0, 0, 0, 6] },
    { version: null, active: [1, 0, 0, 0] },
  ],
  platforms: [],
  native_versions: [],
  releases: [],
};
const released = (version: string, day: string) => ({
  ...{ build_id: 1, channel: 'production', version },
  at: `${day}T23:00:00.000Z`,
});

it('counts the days from the release to the first day on which enough devices run it or a newer version', () => {
  const old = released('1.1.0', '2026-03-01');
  expect([0.5, 0.9, 0.91].map((share) => daysUntil(adoption, old, share))).toEqual([1, 3, undefined]);
  expect(daysUntil(adoption, released('1.1.0', '2026-03-02'), 0.5)).toBe(0);
  expect(daysUntil(adoption, released('1.2.0', '2026-03-03'), 0.5)).toBe(1);
  expect(daysUntil(adoption, released('1.1.0', '2026-02-01'), 0.5)).toBeUndefined();
});

it('counts other versions among all devices, and none on a day without reports', () => {
  expect([0, 1, 2, 3].map((day) => shareOn(adoption, '1.0.0', day))).toEqual([0.9, 1, 0, 1]);
});
