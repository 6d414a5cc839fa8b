/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return -- lines that do not compile have no types */
import { ReadStore, StateStore } from './port';

/** Each line that is expected not to compile fails the check of types once it does. */
it('keeps views and state apart', () => {
  const collection = { name: 'things', indexes: [] };
  const ofViews = (store: ReadStore) => [
    // @ts-expect-error State in the read store would be lost with the next rebuild.
    () => store.rows(collection),
    // @ts-expect-error The read store is not injected for the state store.
    (): StateStore => store,
  ];
  const ofState = (store: StateStore) => [
    // @ts-expect-error No projection fills the state store's views.
    () => store.view('things', collection),
    // @ts-expect-error The state store is not injected for the read store.
    (): ReadStore => store,
  ];
  expect([ofViews, ofState]).toHaveLength(2);
  expect(ReadStore).not.toBe(StateStore);
});
