import { appSchema } from '@sluice/contracts';
import { describePlane, toJsonSchema } from '@sluice/openapi';
import { seededRandom } from '../faults/random';
import { ALL_PLANES } from '../support/planes';
import { disagreement } from './described-oracle';
import type { DescribedOperation, DescribedRequest } from './described-requests';
import { fits, fittingValue, violatingValue, type DataSchema } from './schema-data';

const bodies = Object.values(ALL_PLANES).flatMap((plane) =>
  Object.values(describePlane(plane).paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, requestBody }): [string, DataSchema][] => {
      const schemas = Object.values(requestBody?.content ?? {}).map((content) => content.schema as DataSchema);
      return schemas.map((schema) => [`${plane.title}: ${operationId}`, schema]);
    }),
  ),
);

describe('data of a schema', () => {
  it.each(bodies)('%s: fits, or does not', (_, schema) => {
    const random = seededRandom(1);
    for (let n = 0; n < 20; n += 1) {
      expect(fits(schema, fittingValue(schema, random))).toBe(true);
      const wrong = violatingValue(schema, random);
      expect([wrong, fits(schema, wrong?.value)]).toEqual([wrong, false]);
    }
  });

  it('is the same for the same seed', () => {
    const [, schema] = bodies[0]!;
    expect(fittingValue(schema, seededRandom(7))).toEqual(fittingValue(schema, seededRandom(7)));
  });
});

describe('a difference between description and server', () => {
  const operation: DescribedOperation = {
    ...{ plane: 'management', id: 'createApp', method: 'POST', path: '/api/public/v1/apps', parameters: [] },
    open: false,
    text: 'As many words as its description has.',
  };
  const request: DescribedRequest = { operation, target: '/api/public/v1/apps', headers: [], body: Buffer.alloc(0) };
  const answer = (status: number, body: object) => ({
    ...{ status, contentType: 'application/json; charset=utf-8' },
    text: JSON.stringify(body),
  });
  const faultyField = (message: string) => answer(422, { message: 'Wrong.', errors: { name: [message] } });
  const made = fittingValue(toJsonSchema(appSchema, 'output') as DataSchema, seededRandom(3)) as object;

  it('is none where what fits is taken, and what does not is rejected', () => {
    expect(disagreement(request, answer(201, { data: made }))).toBeUndefined();
    expect(disagreement({ ...request, wrong: 'body' }, faultyField('Too long.'))).toBeUndefined();
    const conflict = answer(409, { error: { code: 'BUNDLE_ID_TAKEN', message: 'Taken.' } });
    expect(disagreement(request, conflict)).toBeUndefined();
  });

  it('is none where a rule that the description states in words is broken', () => {
    const future = faultyField('The as_of must not be in the future.');
    expect(disagreement(request, future)).toContain('it is rejected');
    expect(
      disagreement({ ...request, operation: { ...operation, text: 'Not in the future.' } }, future),
    ).toBeUndefined();
  });

  it.each([
    ['what fits is rejected for a field', request, faultyField('Too long.'), 'it is rejected'],
    ['what does not fit is taken', { ...request, wrong: 'body' as const }, answer(201, { data: made }), 'not rejected'],
    [
      'what does not fit is rejected for something else',
      { ...request, wrong: 'body' as const },
      answer(409, { error: { code: 'BUNDLE_ID_TAKEN', message: 'Taken.' } }),
      'not rejected for it',
    ],
    ['a status is not described', request, answer(418, {}), 'does not know'],
    ['a body does not fit', request, answer(201, { data: { ...made, more: 1 } }), 'does not fit'],
    ['the server fails', request, answer(500, { error: { code: 'INTERNAL_ERROR', message: 'x' } }), 'a fault'],
  ])('is reported where %s', (_, sent, answered, words) => {
    expect(disagreement(sent, answered)).toContain(words);
  });
});
