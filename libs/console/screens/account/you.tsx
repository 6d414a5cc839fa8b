import type { Owner, Storage } from '@sluice/contracts';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { signedInAs } from '../../api/ended-session';
import { showSecret } from '../../api/shown-secret';
import { useSession } from '../../api/session';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { QueryState } from '../../parts/states';
import { size, Time } from '../../parts/values';

export function You() {
  const { show, dialog } = useDialog();
  const session = useSession();
  const owner = useGet<Owner>('/owner', ['owner', null]);
  const storage = useGet<Storage>('/storage', ['storage', null]);
  return (
    <Section
      title="You"
      actions={
        <Button kind="danger" onClick={() => show(true)}>
          Rotate your owner key
        </Button>
      }
    >
      <QueryState of={owner} what="who you are" />
      {owner.data !== undefined && (
        <Facts
          facts={{
            Name: owner.data.name,
            Number: owner.data.id,
            Part: owner.data.operator ? 'Operator of this installation' : 'Owner of apps',
            Made: <Time at={owner.data.created_at} />,
            'Storage of your bundles':
              storage.data === undefined
                ? '…'
                : `${size(storage.data.used_bytes)} of ${size(storage.data.limit_bytes)}`,
            'Key rotated': <Time at={owner.data.key_rotated_at} />,
            'This session ends unless it is used': <Time at={session.data?.expires_at ?? null} />,
          }}
        />
      )}
      <Confirm
        title="Rotate your owner key"
        verb="Make a new key"
        {...dialog}
        refresh={[['session']]}
        confirm={async () => {
          const { owner_key: key } = await api.post<{ owner_key: string }>('/owner/rotate-key');
          showSecret({
            title: 'Your new owner key',
            label: 'the owner key',
            secret: key,
            note: (
              <p className="dim">
                Sign in with it. Where the server is given <code>OWNER_KEY</code>, set that to the new key before its
                next start; otherwise the operator’s key is also in <code>owner.key</code> in its data folder.
              </p>
            ),
          });
          // This session has ended too: the sign-in comes next, not a repeat of the request.
          signedInAs(undefined);
        }}
      >
        <p>
          You get a new key, shown once. The current key and every session end immediately, including this one: you sign
          in again with the new key. Access tokens and API keys keep working.
        </p>
      </Confirm>
    </Section>
  );
}
