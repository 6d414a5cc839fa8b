import fc from 'fast-check';
import { FixedWindows } from './fixed-windows';

const MINUTE = 60_000;

function windows(limit: number, subjects = 1024) {
  const clock = { time: 5_000_000 };
  const counted = new FixedWindows({ limit, windowMs: MINUTE, subjects, now: () => clock.time });
  return { counted, clock };
}

/** Which of so many uses in a row are let through. */
const letThrough = (counted: FixedWindows, subject: string, uses: number) =>
  Array.from({ length: uses }, () => counted.use(subject) === 0);

describe('fixed windows', () => {
  it('let through as many uses as the limit says, and say how long the window lasts', () => {
    const { counted, clock } = windows(3);
    expect(letThrough(counted, 'a', 3)).toEqual([true, true, true]);
    expect(counted.use('a')).toBe(MINUTE);
    clock.time += 20_000;
    expect(counted.use('a')).toBe(40_000);
    clock.time += 39_999;
    expect(counted.use('a')).toBeGreaterThan(0);
  });

  it('begin again when one has ended, also for a client that never stopped', () => {
    const { counted, clock } = windows(2);
    letThrough(counted, 'a', 100);
    clock.time += MINUTE;
    expect(letThrough(counted, 'a', 3)).toEqual([true, true, false]);
  });

  it('begin with the first use of each subject', () => {
    const { counted, clock } = windows(1);
    counted.use('a');
    clock.time += 50_000;
    counted.use('b');
    clock.time += 10_000;
    expect(counted.use('a')).toBe(0);
    expect(counted.use('b')).toBe(50_000);
  });

  it('tell the same text of different realms apart', () => {
    const { counted } = windows(1);
    expect([1, 2, 3].map((realm) => counted.use('a', realm))).toEqual([0, 0, 0]);
    expect(counted.use('a', 2)).toBeGreaterThan(0);
  });

  it('agree with a plain count while all subjects fit', () => {
    const uses = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'ü', '端'), fc.nat(3), fc.nat(30_000)));
    fc.assert(
      fc.property(uses, (all) => {
        const { counted, clock } = windows(3);
        const plain = new Map<string, { begun: number; uses: number }>();
        for (const [subject, realm, later] of all) {
          clock.time += Math.floor(later / 100) * 100;
          const key = `${realm}/${subject}`;
          const before = plain.get(key);
          const now =
            before !== undefined && clock.time - before.begun < MINUTE ? before : { begun: clock.time, uses: 0 };
          now.uses += 1;
          plain.set(key, now);
          expect(counted.use(subject, realm)).toBe(now.uses <= 3 ? 0 : now.begun + MINUTE - clock.time);
        }
      }),
    );
  });

  it('never refuse too early when more subjects are about than fit, and still stop one that asks far more', () => {
    const { counted } = windows(10, 64);
    const refused = { greedy: 0, others: 0 };
    for (let n = 0; n < 50_000; n += 1) {
      if (counted.use(`device-${n}`) > 0) refused.others += 1;
      if (counted.use('greedy') > 0) refused.greedy += 1;
    }
    expect(refused).toEqual({ greedy: 49_990, others: 0 });
  });

  it('keep apart a hundred thousand subjects that fit', () => {
    const { counted } = windows(1, 2 ** 20);
    let refused = 0;
    for (let n = 0; n < 100_000; n += 1) if (counted.use(`7f9c24e8-${n}`) > 0) refused += 1;
    expect(refused).toBe(0);
  });
});
