import { readFileSync } from 'node:fs';
import { EVENTS_PAGE, eventsPage } from './events-page';

it('lists the streams, events and projections in docs/architecture as the code has them (else: npm run docs:events)', () => {
  // Prettier pads tables.
  const unpadded = (text: string) => text.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---').trim();
  expect(unpadded(readFileSync(EVENTS_PAGE, 'utf8'))).toBe(unpadded(eventsPage()));
});
