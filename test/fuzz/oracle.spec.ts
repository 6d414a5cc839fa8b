import { seededRandom } from '../faults/random';
import { makeCase } from './cases';
import type { Operation } from './operations';
import { faultsOf } from './oracle';
import { readAnswers } from './responses';

const operation: Operation = {
  ...{ plane: 'management', method: 'GET', path: '/api/public/v1/apps/{app}', query: ['as_of'] },
  ...{ statuses: new Set(['200', '502']), resolve: () => ({}) },
};
const request = { method: 'GET', target: '/api/public/v1/apps/1', operation };
const answerOf = (status: number, body: string, more = '') => {
  const bytes = Buffer.from(
    `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}${more}\r\n\r\n${body}`,
  );
  return readAnswers(bytes, ['GET'], false).answers[0]!;
};
const refusal = '{"error":{"code":"SERVICE_UNAVAILABLE","message":"Away."}}';

it('takes answers that hold to the promises of their plane', () => {
  expect(faultsOf(answerOf(200, '{"data":{}}'), request, [])).toEqual([]);
  expect(faultsOf(answerOf(422, '{"message":"x","errors":{}}'), request, [])).toEqual([]);
  expect(faultsOf(answerOf(503, refusal, '\r\nRetry-After: 1'), request, [])).toEqual([]);
  expect(faultsOf(answerOf(502, refusal), request, [])).toEqual([]);
});

it.each([
  ['a 500', answerOf(500, '{"error":{"code":"INTERNAL_ERROR","message":"x"}}'), 'status 500'],
  ['a 503 that says nothing of when to come back', answerOf(503, refusal), 'status 503'],
  ['a success outside of its envelope', answerOf(200, '{"id":1}'), 'in no envelope'],
  ['a refusal outside of its envelope', answerOf(404, '{"statusCode":404,"message":"x"}'), 'in no envelope'],
  ['what is no JSON', answerOf(200, '{"data":'), 'no JSON'],
  ['a stack', answerOf(400, '{"message":"x","errors":{"a":["at run (file.js:12:3)"]}}'), 'holds .js:12'],
  ['a path', answerOf(400, '{"message":"/data/x","errors":{}}'), 'holds /data/x'],
])('finds %s', (_, answer, fault) => {
  expect(faultsOf(answer, request, ['/data/x']).join()).toContain(fault);
});

it('reads pipelined answers, chunks and cut ones, and no bytes that are no HTTP', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n';
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n';
  const { answers, rest } = readAnswers(Buffer.from(`${chunked}${head}${head}cut`), ['GET', 'HEAD', 'GET'], true);
  expect(answers.map(({ body }) => body.toString())).toEqual(['abc', '']);
  expect(rest).toBe(head.length + 3);
  expect(() => readAnswers(Buffer.from('HTTP/1.1 200 OK\r\nX\r\n\r\n'), [], true)).toThrow('no header');
  expect(() => readAnswers(Buffer.from('<html>\r\n\r\n'), [], true)).toThrow('no HTTP');
});

it('makes the same cases of the same seed', () => {
  const given = { token: 't', ownerKey: 'o', apiKey: 'k', bundle: Buffer.from('PK') };
  const source = {
    given,
    operations: [operation, { ...operation, method: 'POST', body: { type: 'object' }, form: { type: 'object' } }],
  };
  const told = (seed: number) => {
    const { pieces, ...rest } = makeCase(source, seededRandom(seed));
    return `${JSON.stringify(rest)}${Buffer.concat(pieces).toString('latin1')}`;
  };
  for (let seed = 0; seed < 300; seed += 1) expect(told(seed) === told(seed)).toBe(true);
});
