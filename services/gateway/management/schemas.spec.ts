import { accessTokenSchema, apiKeySchema, appSchema, buildSchema } from '@sluice/contracts';
import type { z } from 'zod';
import { editTokenBody } from '../dashboard/schemas';
import { restrictionsBody } from './restrictions';
import { editAppBody, editBuildBody, rolloutBody } from './schemas';

const bodies: [string, z.ZodObject, z.ZodObject, string[]][] = [
  ['an app', appSchema, editAppBody, []],
  ['a build', buildSchema, editBuildBody, []],
  ["a build's rollout", buildSchema, rolloutBody, ['enabled']],
  // What is set is `restrictions`, whose members stand in the body itself.
  [
    "a key's restrictions",
    apiKeySchema.omit({ restrictions: true }),
    restrictionsBody,
    ['origins', 'android', 'ios', 'channels'],
  ],
  ['an access token', accessTokenSchema, editTokenBody, []],
];

it.each(bodies)('a change of %s knows every member of the resource', (_, resource, body, own) => {
  expect(Object.keys(body.shape).sort()).toEqual([...Object.keys(resource.shape), ...own].sort());
});

it.each(bodies)('a change of %s rejects what it can not change', (_, resource, body) => {
  const members = Object.keys(resource.shape).filter((member) => !isChangeable(body, member));
  expect(members.length).toBeGreaterThan(0);
  for (const member of members) {
    const { error } = body.safeParse({ [member]: 'something' });
    expect(error?.issues).toContainEqual(
      expect.objectContaining({ path: [member], message: 'This member cannot be changed.' }),
    );
  }
});

function isChangeable({ shape }: z.ZodObject, member: string): boolean {
  const schema = shape[member] as z.ZodType;
  return [true, 1, 'ios', 'active', 'any_token', 'stable', null, [], {}].some(
    (value) => schema.safeParse(value).success,
  );
}
