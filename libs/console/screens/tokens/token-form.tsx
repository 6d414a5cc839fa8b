import type { AccessToken, Permission } from '@sluice/contracts';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsOperator } from '../../api/session';
import { CheckField, Form, Group, SelectField, TextField } from '../../parts/form';
import { AppsField } from './apps-field';
import { givenPermissions, MANAGE_WORDS } from './permissions';

const DAY_MS = 86_400_000;
type Expiry = 'as it is' | 'never' | '30' | '90' | '365' | 'day';

/** What `POST /tokens` and `PATCH /tokens/:token` take. */
export interface TokenWish {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly all_apps: boolean;
  readonly apps?: readonly number[];
  readonly expires_at?: string | null;
}

interface TokenFormProps {
  readonly token?: AccessToken;
  readonly send: UseMutationResult<unknown, Error, TokenWish>;
  readonly cancel: () => void;
}

/** Of a new token, or of the one that is to be changed. */
export function TokenForm({ token, send, cancel }: TokenFormProps) {
  const [name, setName] = useState(token?.name ?? '');
  const [permissions, setPermissions] = useState<ReadonlySet<Permission>>(() => new Set(token?.permissions));
  const [reach, setReach] = useState<'chosen' | 'all'>(token?.all_apps === true ? 'all' : 'chosen');
  const [apps, setApps] = useState<ReadonlySet<number>>(() => new Set(token?.all_apps === true ? [] : token?.apps));
  const [expiry, setExpiry] = useState<Expiry>(token === undefined ? '90' : 'as it is');
  const [day, setDay] = useState('');
  const offered = givenPermissions(useIsOperator());

  const give = (permission: Permission, given: boolean): void => {
    const next = new Set(permissions);
    if (given) next.add(permission);
    else next.delete(permission);
    setPermissions(next);
  };
  const expiresAt = (): string | null => {
    if (expiry === 'never') return null;
    // To the end of that day where the person is.
    return expiry === 'day'
      ? new Date(`${day}T23:59:59`).toISOString()
      : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
  };
  const all = reach === 'all';
  const submit = (): void =>
    send.mutate({
      name,
      permissions: offered.flatMap(([permission]) => (permissions.has(permission) ? permission : [])),
      all_apps: all,
      ...(!all && { apps: [...apps] }),
      ...(expiry !== 'as it is' && { expires_at: expiresAt() }),
    });

  return (
    <Form {...{ submit, cancel }} busy={send.isPending} error={send.error} verb={token ? 'Save' : 'Make the token'}>
      <TextField
        name="name"
        label="Name"
        help="What it is for, such as the CI that uses it. The history shows it beside what the token did."
        required
        value={name}
        change={setName}
      />
      <Group name="permissions" label="Permissions" help={MANAGE_WORDS}>
        {offered.map(([permission, words]) => (
          <CheckField
            key={permission}
            name={permission}
            label={<code>{permission}</code>}
            help={words}
            value={permissions.has(permission)}
            change={(given) => give(permission, given)}
          />
        ))}
      </Group>
      <SelectField
        name="all_apps"
        label="Reach"
        value={reach}
        change={setReach}
        options={[
          ['chosen', 'Only chosen apps'],
          ['all', 'All apps, later ones too'],
        ]}
      />
      {!all && <AppsField chosen={apps} choose={setApps} />}
      <SelectField
        name={expiry === 'day' ? 'expiry' : 'expires_at'}
        label="Ends"
        value={expiry}
        change={setExpiry}
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
          name="expires_at"
          label="Last day"
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
          value={day}
          change={setDay}
        />
      )}
    </Form>
  );
}

function endOf({ expires_at: at }: AccessToken): string {
  return at === null ? 'never' : new Date(at).toLocaleString();
}
