import type { AccessToken, Permission } from '@sluice/contracts';
import { api } from '../../api/client';
import { useIsOperator } from '../../api/session';
import { showSecret } from '../../api/shown-secret';
import { CheckField, Form, Group, SelectField, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { toggled } from '../../parts/toggled';
import * as texts from '../../texts/tokens';
import { AppsField } from './apps-field';
import { givenPermissions } from './permissions';

const DAY_MS = 86_400_000;
type Expiry = 'unchanged' | 'never' | '30' | '90' | '365' | 'day';

export type TokenWithSecret = AccessToken & { readonly token: string };

export const showToken = ({ name, token: secret }: TokenWithSecret): void =>
  showSecret({ title: texts.secretOf(name), label: texts.theToken, secret });

const draftOf = (token: AccessToken | undefined) => ({
  name: token?.name ?? '',
  permissions: new Set(token?.permissions) as ReadonlySet<Permission>,
  reach: token?.all_apps === true ? 'all' : 'chosen',
  apps: new Set(token?.all_apps === true ? [] : token?.apps) as ReadonlySet<number>,
  expiry: (token === undefined ? '90' : 'unchanged') as Expiry,
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
        ...(end.expiry !== 'unchanged' && { expires_at: expiresAt(end) }),
      };
      return token === undefined ? api.post('/tokens', wish) : api.patch(`/tokens/${token.id}`, wish);
    },
    {
      refresh: [['tokens']],
      toast: token && texts.saved,
      done: (saved) => {
        close();
        if ('token' in saved) showToken(saved);
      },
    },
  );
  const { permissions, reach, apps, expiry } = draft;
  return (
    <Form {...form} verb={token ? texts.save : texts.create} cancel={close}>
      <TextField {...field('name')} label={texts.name} help={texts.nameHelp} required />
      <Group name="permissions" label={texts.permissions} help={texts.managePermission}>
        {offered.map(([permission, label, help]) => (
          <CheckField
            key={permission}
            name={permission}
            label={
              <>
                {label} <code>{permission}</code>
              </>
            }
            help={help}
            value={permissions.has(permission)}
            change={(given) => change({ permissions: toggled(permissions, permission, given) })}
          />
        ))}
      </Group>
      <SelectField
        {...field('reach')}
        name="all_apps"
        label={texts.access}
        options={[
          ['chosen', texts.onlySelected],
          ['all', texts.all],
        ]}
      />
      {reach === 'chosen' && <AppsField chosen={apps} choose={(chosen) => change({ apps: chosen })} />}
      <SelectField
        {...field('expiry')}
        name={expiry === 'day' ? 'expiry' : 'expires_at'}
        label={texts.expires}
        options={[
          ...(token === undefined ? [] : [['unchanged', texts.unchanged(endOf(token))] as const]),
          ['30', texts.in30Days],
          ['90', texts.in90Days],
          ['365', texts.inAYear],
          ['day', texts.onADay],
          ['never', texts.neverExpires],
        ]}
      />
      {expiry === 'day' && (
        <TextField
          {...field('day')}
          name="expires_at"
          label={texts.lastDay}
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
  return at === null ? texts.never : new Date(at).toLocaleString();
}
