import { z } from 'zod';
import { toValidationError } from './validation-error';

it.each(['constructor', 'toString'])('names a field %s like any other', (field) => {
  const { error } = z.record(z.string(), z.number()).safeParse(JSON.parse(`{"${field}":"text"}`));
  const { errors } = toValidationError(error!);
  expect(Object.entries(errors)).toEqual([[field, [expect.stringContaining('expected number')]]]);
});
