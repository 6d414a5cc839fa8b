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
import * as texts from '../../texts/account';

type OwnerWithKey = Owner & { readonly owner_key: string };

const showKey = ({ name, owner_key: secret }: OwnerWithKey): void =>
  showSecret({
    title: texts.keyOf(name),
    label: texts.ownerKey,
    secret,
    note: <p className="dim">{texts.handOver(name)}</p>,
  });

/** Everybody who has apps here. */
export function Owners() {
  const making = useDialog();
  const rotating = useDialog<Owner>();
  const session = useSession();
  const { list: owners, turn } = usePaged<Owner>('/owners', ['owner', null]);
  return (
    <Section
      title={texts.owners}
      actions={
        <Button kind="primary" onClick={() => making.show(true)}>
          {texts.newOwner}
        </Button>
      }
    >
      <p className="dim">{texts.eachOwner}</p>
      <Listed of={owners} turn={turn} what={texts.loadingOwners}>
        {(rows) => (
          <Table
            stacks
            label={texts.owners}
            rows={rows}
            columns={[
              [
                rowHead(texts.name),
                (owner) => (
                  <>
                    <Name>{owner.name}</Name> {owner.operator && <Badge tone="dim">{texts.operatorBadge}</Badge>}
                  </>
                ),
              ],
              [texts.created, (owner) => <Time at={owner.created_at} />],
              [texts.keyRotated, (owner) => <Time at={owner.key_rotated_at} />],
              [
                unseen(texts.key),
                (owner) =>
                  owner.id === session.data?.owner.id ? (
                    <span className="dim">{texts.yours}</span>
                  ) : (
                    <Button
                      kind="danger"
                      onClick={() => rotating.show(owner)}
                      aria-label={texts.rotateKeyOf(owner.name)}
                    >
                      {texts.rotate}
                    </Button>
                  ),
              ],
            ]}
          />
        )}
      </Listed>
      <Modal title={texts.newOwner} {...making.dialog}>
        <MakeOwner
          close={making.close}
          made={(owner) => {
            making.close();
            showKey(owner);
          }}
        />
      </Modal>
      <Confirm
        title={texts.rotateKeyOf(rotating.about?.name ?? '')}
        verb={texts.createKey}
        {...rotating.dialog}
        confirm={async () => showKey(await api.post<OwnerWithKey>(`/owners/${rotating.about?.id ?? ''}/rotate-key`))}
        refresh={[['owner']]}
      >
        <p>{texts.endsKey}</p>
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
    <Form {...form} verb={texts.createOwner} cancel={close}>
      <TextField {...field('name')} label={texts.name} help={texts.nameHelp} required />
    </Form>
  );
}
