import { versionSeries } from './series';

afterEach(() => Reflect.deleteProperty(globalThis, 'localStorage'));

it('gives versions that are shown together different colours or textures, and the older one keeps its own', () => {
  const known = Array.from({ length: 26 }, (_, minor) => `1.${minor}.0`);
  Object.assign(globalThis, { localStorage: { getItem: () => JSON.stringify(known), setItem: () => undefined } });
  const look = (versions: readonly string[]) =>
    new Map(
      versionSeries(
        1,
        versions.map((name) => ({ name, values: [1] })),
        [],
      ).map(({ name, colour, texture }) => [name, `${colour} ${texture}`]),
    );
  const alone = look(['1.0.0']).get('1.0.0');
  const together = look(['1.0.0', '1.1.0', '1.24.0', '1.25.0']);
  expect(new Set(together.values()).size).toBe(4);
  expect(together.get('1.0.0')).toBe(alone);
});
