import { attributeValue } from './attribute-value';

const types = { plan: 'string', os: 'version' } as const;

it('reads the values of declared attributes by their types', () => {
  expect(attributeValue(types, 'plan', 'pro')).toBe('pro');
  expect(attributeValue(types, 'os', '17.2')?.toString()).toBe('17.2.0');
});

it.each([
  ['that the app does not declare', 'tier', 'a'],
  ['of the name of a method of all objects', 'constructor', 'a'],
  ['that was not sent', 'plan', undefined],
  ['that is empty', 'plan', ''],
  ['of more than 100 characters', 'plan', 'x'.repeat(101)],
  ['that is no version where it has to be one', 'os', 'seventeen'],
])('has no value %s', (_, name, text) => {
  expect(attributeValue(types, name, text)).toBeUndefined();
});

it('takes 100 characters, which may be twice as many UTF-16 units', () => {
  const text = '🦆'.repeat(100);
  expect(attributeValue(types, 'plan', text)).toBe(text);
});

it('has no value in an app without attributes', () => {
  expect(attributeValue(undefined, 'plan', 'pro')).toBeUndefined();
});
