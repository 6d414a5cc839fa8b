import { bind } from './bind';

describe('bind', () => {
  const change = jest.fn();
  beforeEach(() => change.mockReset());

  it('gives a field the value of its member, and changes that member alone', () => {
    const field = bind({ name: 'Shop', mandatory: false }, change)('mandatory');
    expect(field).toMatchObject({ name: 'mandatory', value: false });
    field.change(true);
    expect(change.mock.calls).toEqual([[{ mandatory: true }]]);
  });

  it('names the field by its path on the server', () => {
    expect(bind({ country: 'DE' }, change, 'rates.3.')('country').name).toBe('rates.3.country');
  });
});
