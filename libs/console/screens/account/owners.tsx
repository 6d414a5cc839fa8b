import type { Owner } from '@sluice/contracts';
import { api } from '../../api/client';
import { usePaged } from '../../api/queries';
import { useSession } from '../../api/session';
import { showSecret } from '../../api/shown-secret';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { Name } from '../../parts/name';
import { rowHead, Section, Table, unseen } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { useDialog, useForm } from '../../parts/send';
import { Badge, Time } from '../../parts/values';

type OwnerWithKey = Owner & { readonly owner_key: string };

const showKey = ({ name, owner_key: secret }: OwnerWithKey): void =>
  showSecret({
    title: `Owner key of ${name}`,
    label: 'the owner key',
    secret,
    note: <p className="dim">Hand it to {name}: it is what they sign in with.</p>,
  });

/** Everybody who has apps here. */
export function Owners() {
  const making = useDialog();
  const rotating = useDialog<Owner>();
  const session = useSession();
  const { list: owners, turn } = usePaged<Owner>('/owners', ['owner', null]);
  return (
    <Section
      title="Owners"
      actions={
        <Button kind="primary" onClick={() => making.show(true)}>
          New owner
        </Button>
      }
    >
      <p className="dim">Each owner has apps, tokens and a quota of their own, and sees nothing of the others’.</p>
      <Listed of={owners} turn={turn} what="the owners">
        {(rows) => (
          <Table
            label="Owners"
            rows={rows}
            columns={[
              [
                rowHead('Name'),
                (owner) => (
                  <>
                    <Name>{owner.name}</Name> {owner.operator && <Badge tone="dim">operator</Badge>}
                  </>
                ),
              ],
              ['Made', (owner) => <Time at={owner.created_at} />],
              ['Key rotated', (owner) => <Time at={owner.key_rotated_at} />],
              [
                unseen('Key'),
                (owner) =>
                  owner.id === session.data?.owner.id ? (
                    <span className="dim">Yours: rotate it under “You”</span>
                  ) : (
                    <Button
                      kind="danger"
                      onClick={() => rotating.show(owner)}
                      aria-label={`Rotate the key of ${owner.name}`}
                    >
                      Rotate
                    </Button>
                  ),
              ],
            ]}
          />
        )}
      </Listed>
      <Modal title="New owner" {...making.dialog}>
        <MakeOwner
          close={making.close}
          made={(owner) => {
            making.close();
            showKey(owner);
          }}
        />
      </Modal>
      <Confirm
        title={`Rotate the key of ${rotating.about?.name ?? ''}`}
        verb="Make a new key"
        {...rotating.dialog}
        confirm={async () => showKey(await api.post<OwnerWithKey>(`/owners/${rotating.about?.id ?? ''}/rotate-key`))}
        refresh={[['owner']]}
      >
        <p>The current key and its sessions end immediately. Their access tokens and API keys keep working.</p>
      </Confirm>
    </Section>
  );
}

function MakeOwner({ close, made }: { readonly close: () => void; readonly made: (owner: OwnerWithKey) => void }) {
  const { form, field } = useForm({ name: '' }, (wish) => api.post<OwnerWithKey>('/owners', wish), {
    refresh: [['owner']],
    done: made,
  });
  return (
    <Form {...form} verb="Make the owner" cancel={close}>
      <TextField {...field('name')} label="Name" help="A team or a person." required />
    </Form>
  );
}
