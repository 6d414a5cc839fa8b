import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Owner } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../api/client';
import { useSession } from '../../api/session';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { Name } from '../../parts/name';
import { Section, Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { ErrorNote, Loading } from '../../parts/states';
import { Badge, Time } from '../../parts/values';

type OwnerWithKey = Owner & { readonly owner_key: string };

const secretOf = ({ name, owner_key: secret }: OwnerWithKey): ShownSecret => ({
  title: `Owner key of ${name}`,
  label: 'the owner key',
  secret,
  note: <p className="dim">Hand it to {name}: it is what they sign in with.</p>,
});

/** Everybody who has apps here. */
export function Owners() {
  const [page, setPage] = useState(1);
  const [making, setMaking] = useState(false);
  const [rotating, setRotating] = useState<Owner>();
  const [shown, setShown] = useState<ShownSecret>();
  const client = useQueryClient();
  const session = useSession();
  const owners = useQuery({
    queryKey: ['owner', null, 'all', page],
    queryFn: () => api.list<Owner>(`/owners${query({ page, per_page: 50 })}`),
  });
  return (
    <Section
      title="Owners"
      actions={
        <Button kind="primary" onClick={() => setMaking(true)}>
          New owner
        </Button>
      }
    >
      <p className="dim">Each owner has apps, tokens and a quota of their own, and sees nothing of the others’.</p>
      {owners.isPending && <Loading what="the owners" />}
      {owners.isError && <ErrorNote error={owners.error} again={() => void owners.refetch()} />}
      {owners.data !== undefined && (
        <>
          <Table label="Owners" head={['Name', 'Made', 'Key rotated', { name: 'Key', kind: 'unseen' }]}>
            {owners.data.data.map((owner) => (
              <tr key={owner.id}>
                <th scope="row">
                  <Name>{owner.name}</Name> {owner.operator && <Badge tone="dim">operator</Badge>}
                </th>
                <td>
                  <Time at={owner.created_at} />
                </td>
                <td>
                  <Time at={owner.key_rotated_at} />
                </td>
                <td>
                  {owner.id === session.data?.owner.id ? (
                    <span className="dim">Yours: rotate it under “You”</span>
                  ) : (
                    <Button
                      kind="danger"
                      onClick={() => setRotating(owner)}
                      aria-label={`Rotate the key of ${owner.name}`}
                    >
                      Rotate
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
          <Pager meta={owners.data.meta} turn={setPage} />
        </>
      )}
      <Modal title="New owner" open={making} close={() => setMaking(false)}>
        <MakeOwner
          close={() => setMaking(false)}
          made={(owner) => {
            setMaking(false);
            setShown(secretOf(owner));
          }}
        />
      </Modal>
      <Confirm
        title={`Rotate the key of ${rotating?.name ?? ''}`}
        verb="Make a new key"
        open={rotating !== undefined}
        close={() => setRotating(undefined)}
        confirm={async () => {
          const rotated = await api.post<OwnerWithKey>(`/owners/${rotating?.id ?? ''}/rotate-key`);
          setShown(secretOf(rotated));
          await client.invalidateQueries({ queryKey: ['owner'] });
        }}
      >
        <p>The present key and its sessions end at once. Their access tokens and API keys go on working.</p>
      </Confirm>
      <SecretDialog shown={shown} close={() => setShown(undefined)} />
    </Section>
  );
}

function MakeOwner({ close, made }: { readonly close: () => void; readonly made: (owner: OwnerWithKey) => void }) {
  const [name, setName] = useState('');
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () => api.post<OwnerWithKey>('/owners', { name }),
    // The key stays in no cache.
    gcTime: 0,
    onSuccess: (owner) => {
      void client.invalidateQueries({ queryKey: ['owner'] });
      made(owner);
    },
  });
  return (
    <Form submit={() => make.mutate()} busy={make.isPending} error={make.error} verb="Make the owner" cancel={close}>
      <TextField name="name" label="Name" help="A team or a person." required value={name} change={setName} />
    </Form>
  );
}
