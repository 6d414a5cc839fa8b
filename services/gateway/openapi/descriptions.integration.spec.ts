import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { describePlane } from '@sluice/openapi';
import { ALL_PLANES } from '../../../test/support/planes';

const UUID = '2f1b0c8e-6a3d-4c5e-9b7a-0d1e2f3a4b5c';

describe('the descriptions of the planes', () => {
  describe.each(Object.entries(ALL_PLANES))('%s', (_, plane) => {
    const description = describePlane(plane);
    const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));

    it('names each operation once', () => {
      const ids = operations.map(({ operationId }) => operationId);
      expect(ids).toEqual([...new Set(ids)]);
    });

    it('lets no answer hold a member that is not described', () => {
      const open: string[] = [];
      const visit = (schema: unknown, path: string): void => {
        if (typeof schema !== 'object' || schema === null) return;
        const { type, properties, additionalProperties } = schema as Record<string, unknown>;
        if (type === 'object' && properties !== undefined && additionalProperties !== false) open.push(path);
        for (const [key, value] of Object.entries(schema)) visit(value, `${path}/${key}`);
      };
      visit(description.components.schemas, 'components');
      for (const { operationId, responses } of operations) visit(responses, operationId);
      expect(open).toEqual([]);
    });

    it('lints clean', async () => {
      const config = await createConfig({ extends: ['recommended'] });
      const problems = await lintFromString({ source: JSON.stringify(description), config });
      expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
    });

    it('states for each operation that a request may be malformed, too slow, or have too large headers', () => {
      const codes = /INVALID_REQUEST.*REQUEST_TIMEOUT.*HEADERS_TOO_LARGE/i;
      for (const { operationId, responses } of operations) {
        const told = ['400', '408', '431'].map((status) => responses[status]?.description).join(' ');
        expect([operationId, told]).toEqual([operationId, expect.stringMatching(codes)]);
      }
    });

    it('holds schemas of JSON Schema 2020-12 alone', () => {
      const ajv = new Ajv2020({ strict: false });
      const schemas = operations.flatMap(({ responses, requestBody, parameters }) => [
        ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
        ...Object.values(requestBody?.content ?? {}),
        ...parameters,
      ]);
      for (const { schema } of schemas) expect([schema, ajv.validateSchema(schema)]).toEqual([schema, true]);
    });
  });

  it.each<[id: string, body: unknown, taken: boolean]>([
    // null counts as left out where a resource is made.
    ['createApp', { name: 'x', bundle_id: null, platform: null, description: null }, true],
    ['createApp', { name: null }, false],
    ['promoteBuild', { target_channel: 'staging', rollout_percentage: null, mandatory: null }, true],
    ['createSigningKey', { name: null, scheme: null, size: null }, true],
    ['rotateSigningKey', { expected_fingerprint: 'A'.repeat(64) }, true],
    ['reportInstall', { bundle_id: UUID, status: 'failed', error: null, previous_version: null }, true],
    ['reportInstall', { bundle_id: UUID.replace('-4', '-f'), status: 'failed' }, false],
    // A body that may be left out is still an object.
    ...['editApp', 'editBuild', 'editToken', 'saveSyncSettings', 'resendDeadLetters'].map(
      (id): [string, null, boolean] => [id, null, false],
    ),
    // A character is a code point; blanks do not make a name.
    ['createApp', { name: '💥'.repeat(255) }, true],
    ['createApp', { name: '💥'.repeat(256) }, false],
    ['createApp', { name: ' \n ' }, false],
    ['saveWebhook', { url: 'https://a.example', secret: '💥'.repeat(15) }, false],
    // Formats.
    ['editBuild', { min_native_version: 'v1.2 (5)' }, true],
    ['editBuild', { min_native_version: 'latest' }, false],
    ['createToken', { name: 'x', expires_at: '2030-01-01T00:00:00+02:00' }, true],
    ['createToken', { name: 'x', expires_at: '2030-01-01' }, false],
    ['saveWebhook', { url: 'ftp://a.example' }, false],
    ['saveOAuthClient', { client_id: ' id ', client_secret: 's' }, true],
    ['saveOAuthClient', { client_id: 'i d', client_secret: 's' }, false],
    // At least one member, and members that need or exclude others.
    ['changeRollout', {}, false],
    ['changeRollout', { other: 1 }, false],
    ['changeRollout', { enabled: false }, true],
    ['setListingsModule', {}, false],
    ['setListingsModule', { entitled: true }, true],
    ['createToken', { name: 'x', all_apps: true, apps: [1] }, false],
    ['editToken', { all_apps: false }, false],
    ['editToken', { all_apps: false, apps: [] }, true],
    ['startSync', { run_type: 'single' }, false],
    ['startSync', { run_type: 'full', product_id: 'x' }, false],
    ['startSync', { product_id: 7 }, true],
    ['startSync', { product_id: 7.5 }, false],
    ['restrictApiKey', {}, true],
    ['restrictApiKey', { name: 'x' }, false],
    ['saveFeedSettings', { shipping_settings: {}, tax_settings: [], category_mappings: null }, true],
    ['saveFeedSettings', { category_mappings: 'none' }, false],
  ])('take of %s what the server takes: %j', (id, body, taken) => {
    const all = Object.values(ALL_PLANES).flatMap((plane) => plane.routes.map((route) => ({ plane, route })));
    const { plane, route } = all.find((each) => each.route.id === id)!;
    const described = Object.values(describePlane(plane).paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === id);
    const schema = described!.requestBody!.content['application/json']!.schema;
    const fits = addFormats(new Ajv2020({ strict: false })).validate(schema, body);
    expect([fits, route.body!.safeParse(body).success]).toEqual([taken, taken]);
  });

  it.each([
    ['saveFeedSettings', { shipping_settings: { mode: 'rates' } }],
    ['saveFeedSettings', { tax_settings: { mode: 'rates', rates: [] } }],
    [
      'saveFeedSettings',
      { shipping_settings: { mode: 'account', rates: [{ country: 'US', service: 'x', price: '1' }] } },
    ],
    ['createApp', { name: 'a\0b' }],
  ])('refuse of %s what the server rejects behind its schemas: %j', (id, body) => {
    const all = Object.values(ALL_PLANES).flatMap((plane) => Object.values(describePlane(plane).paths));
    const operation = all.flatMap((methods) => Object.values(methods)).find(({ operationId }) => operationId === id);
    const schema = operation!.requestBody!.content['application/json']!.schema;
    expect(addFormats(new Ajv2020({ strict: false })).validate(schema, body)).toBe(false);
  });

  it.each([
    ['checkUpdate', 'X-Current-Version', ['1', 'v1.2.3-rc.1', '1.2.3.4'], ['', 'latest', '1'.repeat(251)]],
    ['reportActive', 'X-Bundle-Version', ['2.0'], ['', 'x']],
    ['explainUpdate', 'version', ['1.0'], ['', 'x']],
    ['createApp', 'Idempotency-Key', ['a', '~'.repeat(255)], ['', 'a b', 'é', 'a'.repeat(256)]],
    ['listApps', 'page', [1, 999_999_999_999_999], [0, 1_000_000_000_000_000]],
    ['listBuilds', 'as_of', ['2026-01-31T12:00:00Z'], ['2026-01-31', 'now']],
  ])('say of %s what %s may be', (id, name, taken, refused) => {
    const all = Object.values(ALL_PLANES).flatMap((plane) => Object.values(describePlane(plane).paths));
    const operation = all.flatMap((methods) => Object.values(methods)).find(({ operationId }) => operationId === id);
    const schema = operation!.parameters.find((parameter) => parameter.name === name)!.schema;
    const ajv = addFormats(new Ajv2020({ strict: false }));
    expect(taken.filter((value) => !ajv.validate(schema, value))).toEqual([]);
    expect(refused.filter((value) => ajv.validate(schema, value))).toEqual([]);
  });

  it('require a body where none would be rejected', () => {
    const all = Object.values(ALL_PLANES).flatMap((plane) => Object.values(describePlane(plane).paths));
    const required = all
      .flatMap((methods) => Object.values(methods))
      .filter(({ requestBody }) => requestBody?.required === true)
      .map(({ operationId }) => operationId);
    expect(required).toEqual(expect.arrayContaining(['changeRollout', 'setListingsModule', 'restrictApiKey']));
    expect(required).not.toContain('editBuild');
  });
});
