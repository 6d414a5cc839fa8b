import { type Decider, DomainError } from '@sluice/kernel';
import { eventTime, specify } from './decider-specification';

interface Paid {
  readonly type: 'Paid';
  readonly data: { readonly amount: number };
}
const paid = (amount: number): Paid => ({ type: 'Paid', data: { amount } });

/** The sum, and when it was reached. */
const account: Decider<{ sum: number; at: string | null }, number, Paid> = {
  initialState: () => ({ sum: 0, at: null }),
  decide: (amount, { sum }) => {
    if (sum + amount > 10) throw new DomainError('STORAGE_LIMIT_REACHED', 'More than 10.', { sum });
    return amount === 0 ? [] : [paid(amount)];
  },
  evolve: ({ sum }, { data }, at) => ({ sum: sum + data.amount, at }),
};
const { given, after } = specify(account);

it('decides after the events given', () => {
  given(paid(4)).when(6).then(paid(6));
  given(paid(4)).when(0).then();
  expect(given(paid(4)).when(6).events).toEqual([paid(6)]);
  expect(() => given().when(6).then(paid(5))).toThrow('toEqual');
  expect(() => given().when(6).then()).toThrow('toEqual');
});

it('decides after what the commands given caused', () => {
  expect(after(4, 0, 5).state).toEqual({ sum: 9, at: eventTime(1) });
  after(4, 5).when(2).rejects('STORAGE_LIMIT_REACHED');
});

it('expects a rejection, by its code or its members', () => {
  given(paid(9)).when(2).rejects('STORAGE_LIMIT_REACHED');
  given(paid(9))
    .when(2)
    .rejects({ code: 'STORAGE_LIMIT_REACHED', details: { sum: 9 } });
  expect(() => given(paid(9)).when(2).rejects('OTHER')).toThrow('toThrow');
  expect(() => given().when(2).rejects('STORAGE_LIMIT_REACHED')).toThrow('toThrow');
});

it('gives each event a time', () => {
  expect(given().state.at).toBeNull();
  expect(given(paid(1)).state.at).toBe('2026-01-01T00:00:00.000Z');
  expect(given(paid(1), paid(2)).state.at).toBe('2026-01-01T00:00:01.000Z');
});
