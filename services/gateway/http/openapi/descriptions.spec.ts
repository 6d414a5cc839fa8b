import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020';
import { ACCESS_POLICIES, OPEN_ROUTES } from '../access-policy';
import { describePlane } from './document';
import { PLANES } from './planes';

const described = Object.values(PLANES).flatMap(({ groups }) =>
  groups.flatMap(({ operations }) => Object.keys(operations)),
);

describe('the descriptions of the planes', () => {
  it('describe every route', () => {
    const missing = Object.keys(ACCESS_POLICIES).filter((route) => !described.includes(route));
    if (missing.length === 0) return;
    throw new Error(
      `These routes are served and not described:\n  ${missing.join('\n  ')}\n` +
        'Add an entry for each to operations.ts in the folder of its plane (services/gateway/http/<plane>/operations.ts): ' +
        'id, summary, query or body (the schema that validates), answers (the schema from libs/contracts) and the codes that it refuses with.',
    );
  });

  it('describe no route that is not served', () => {
    const devices = PLANES.device.groups.flatMap(({ operations }) => Object.keys(operations));
    expect(
      described.filter((route) => !(route in ACCESS_POLICIES) && !OPEN_ROUTES.has(route) && !devices.includes(route)),
    ).toEqual([]);
  });

  describe.each(Object.entries(PLANES))('%s', (_, plane) => {
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
});
