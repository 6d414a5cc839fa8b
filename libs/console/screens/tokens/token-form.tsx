import type { AccessToken, Permission } from '@sluice/contracts';
import { api } from '../../api/client';
import { useIsOperator } from '../../api/session';
import { showSecret } from '../../api/shown-secret';
import { CheckField, Form, Group, SelectField, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { toggled } from '../../parts/toggled';
import { AppsField } from './apps-field';
import { givenPermissions, MANAGE_WORDS } from './permissions';

const DAY_MS = 86_400_000;
type Expiry = 'as it is' | 'never' | '30' | '90' | '365' | 'day';

export type TokenWithSecret = AccessToken & { readonly token: string };

export const showToken = ({ name, token: secret }: TokenWithSecret): void =>
  showSecret({ title: `Secret of “${name}”`, label: 'the token', secret });

const draftOf = (token: AccessToken | undefined) => ({
  name: token?.name ?? '',
  permissions: new Set(token?.permissions) as ReadonlySet<Permission>,
  reach: token?.all_apps === true ? 'all' : 'chosen',
  apps: new Set(token?.all_apps === true ? [] : token?.apps) as ReadonlySet<number>,
  expiry: (token === undefined ? '90' : 'as it is') as Expiry,
  day: '',
});
type Draft = ReturnType<typeof draftOf>;

interface TokenFormProps {
  readonly token?: AccessToken;
  readonly close: () => void;
}

/** Of a new token, or of the one that is to be changed. */
export function TokenForm({ token, close }: TokenFormProps) {
  const offered = givenPermissions(useIsOperator());
  const { draft, change, field, form } = useForm<Draft, AccessToken | TokenWithSecret>(
    () => draftOf(token),
    ({ name, permissions: given, reach: wanted, apps: chosen, ...end }) => {
      const wish = {
        name,
        permissions: offered.flatMap(([permission]) => (given.has(permission) ? permission : [])),
        all_apps: wanted === 'all',
        ...(wanted === 'chosen' && { apps: [...chosen] }),
        ...(end.expiry !== 'as it is' && { expires_at: expiresAt(end) }),
      };
      return token === undefined ? api.post('/tokens', wish) : api.patch(`/tokens/${token.id}`, wish);
    },
    {
      refresh: [['tokens']],
      said: token && 'The token is changed.',
      done: (saved) => {
        close();
        if ('token' in saved) showToken(saved);
      },
    },
  );
  const { permissions, reach, apps, expiry } = draft;
  return (
    <Form {...form} verb={token ? 'Save' : 'Make the token'} cancel={close}>
      <TextField
        {...field('name')}
        label="Name"
        help="What it is for, such as the CI that uses it. The history shows it with the actions of the token."
        required
      />
      <Group name="permissions" label="Permissions" help={MANAGE_WORDS}>
        {offered.map(([permission, words]) => (
          <CheckField
            key={permission}
            name={permission}
            label={<code>{permission}</code>}
            help={words}
            value={permissions.has(permission)}
            change={(given) => change({ permissions: toggled(permissions, permission, given) })}
          />
        ))}
      </Group>
      <SelectField
        {...field('reach')}
        name="all_apps"
        label="Reach"
        options={[
          ['chosen', 'Only chosen apps'],
          ['all', 'All apps, later ones too'],
        ]}
      />
      {reach === 'chosen' && <AppsField chosen={apps} choose={(chosen) => change({ apps: chosen })} />}
      <SelectField
        {...field('expiry')}
        name={expiry === 'day' ? 'expiry' : 'expires_at'}
        label="Ends"
        options={[
          ...(token === undefined ? [] : [['as it is', `As it is: ${endOf(token)}`] as const]),
          ['30', 'In 30 days'],
          ['90', 'In 90 days'],
          ['365', 'In a year'],
          ['day', 'On a day …'],
          ['never', 'Never'],
        ]}
      />
      {expiry === 'day' && (
        <TextField
          {...field('day')}
          name="expires_at"
          label="Last day"
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
        />
      )}
    </Form>
  );
}

function expiresAt({ expiry, day }: Pick<Draft, 'expiry' | 'day'>): string | null {
  if (expiry === 'never') return null;
  // To the end of that day where the person is.
  return expiry === 'day'
    ? new Date(`${day}T23:59:59`).toISOString()
    : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
}

function endOf({ expires_at: at }: AccessToken): string {
  return at === null ? 'never' : new Date(at).toLocaleString();
}
