import fc from 'fast-check';
import { SeenDevices } from './seen-devices';

const TODAY = 20_784;

it('says of each device whether it said the same before, like a map', () => {
  const step = fc.record({
    device: fc.constantFrom('a', 'b', 'c', 'd'),
    day: fc.constantFrom(TODAY, TODAY + 1),
    build: fc.constantFrom(0, 1, 2),
    builds: fc.constantFrom('', '3', '3,4'),
    forgotten: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const seen = new SeenDevices(1_024);
      const model = new Map<string, { active: string; rest: string }>();
      for (const { device, forgotten, ...said } of steps) {
        const now = { active: `${said.day}/${said.build}`, rest: `${said.build}/${said.builds}` };
        const before = model.get(device);
        expect(seen.note(device, said)).toEqual({
          activeBefore: before?.active === now.active,
          sameBuilds: before?.rest === now.rest,
        });
        model.set(device, now);
        if (!forgotten) continue;
        seen.forget(device);
        model.delete(device);
      }
    }),
  );
});

it('forgets devices of the earliest day first where they are too many', () => {
  const seen = new SeenDevices(4);
  const note = (device: string, day: number) => seen.note(device, { day, build: 7, builds: '' });
  for (const device of ['b', 'c', 'd', 'a']) note(device, device === 'a' ? TODAY : TODAY + 1);
  note('e', TODAY + 1);
  for (const device of ['b', 'c', 'd', 'e']) expect(note(device, TODAY + 1).activeBefore).toBe(true);
  expect(note('a', TODAY).activeBefore).toBe(false);
});

it('knows nearly all of a quarter of the devices that it has places for', () => {
  const seen = new SeenDevices(2 ** 16);
  const all = Array.from({ length: 2 ** 14 }, (_, n) => `svc_app_x/device-${n}`);
  const known = () => all.filter((device) => seen.note(device, { day: TODAY, build: 1, builds: '' }).sameBuilds).length;
  expect(known()).toBe(0);
  expect(known()).toBeGreaterThan(0.98 * all.length);
});
