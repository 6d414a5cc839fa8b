import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AccessToken } from '@sluice/contracts';
import { api } from '../../api/client';
import { Confirm, Modal } from '../../parts/dialog';
import type { ShownSecret } from '../../parts/secret-dialog';
import { say } from '../../parts/toasts';
import { TokenForm, type TokenWish } from './token-form';

export type TokenWithSecret = AccessToken & { readonly token: string };

/** Which dialog is open, and of which token. */
export type TokenAct =
  { readonly kind: 'make' } | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly token: AccessToken };

export function TokenDialogs({
  act,
  close,
  show,
}: {
  readonly act: TokenAct | undefined;
  readonly close: () => void;
  readonly show: (secret: ShownSecret) => void;
}) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ['tokens'] });
  const token = act === undefined || act.kind === 'make' ? undefined : act.token;
  const path = `/tokens/${token?.id ?? ''}`;
  return (
    <>
      <Modal title="New access token" open={act?.kind === 'make'} close={close}>
        <MakeToken close={close} show={show} />
      </Modal>
      <Modal title={`Change “${token?.name ?? ''}”`} open={act?.kind === 'edit'} close={close}>
        {token !== undefined && <EditToken token={token} close={close} />}
      </Modal>
      <Confirm
        title={`Rotate “${token?.name ?? ''}”`}
        verb="Rotate"
        open={act?.kind === 'rotate'}
        close={close}
        confirm={async () => {
          const rotated = await api.post<TokenWithSecret>(`${path}/rotate`);
          show(secretOf(rotated));
          await refresh();
        }}
      >
        <p>The token gets a new secret. The present one is refused at once, wherever it is in use.</p>
      </Confirm>
      <Confirm
        title={`Revoke “${token?.name ?? ''}”`}
        verb="Revoke for good"
        open={act?.kind === 'revoke'}
        close={close}
        confirm={async () => {
          await api.post(`${path}/revoke`);
          say('The token is revoked.');
          await refresh();
        }}
      >
        <p>From now on it is refused everywhere. A revoked token can’t be brought back; make another one instead.</p>
      </Confirm>
    </>
  );
}

function MakeToken({ close, show }: { readonly close: () => void; readonly show: (secret: ShownSecret) => void }) {
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: (wish: TokenWish) => api.post<TokenWithSecret>('/tokens', wish),
    // The secret stays in no cache.
    gcTime: 0,
    onSuccess: (made) => {
      close();
      show(secretOf(made));
      void client.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  return <TokenForm submit={(wish) => make.mutate(wish)} busy={make.isPending} error={make.error} cancel={close} />;
}

function EditToken({ token, close }: { readonly token: AccessToken; readonly close: () => void }) {
  const client = useQueryClient();
  const edit = useMutation({
    mutationFn: (wish: TokenWish) => api.patch<AccessToken>(`/tokens/${token.id}`, wish),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['tokens'] });
      say('The token is changed.');
      close();
    },
  });
  return (
    <TokenForm
      token={token}
      submit={(wish) => edit.mutate(wish)}
      busy={edit.isPending}
      error={edit.error}
      cancel={close}
    />
  );
}

function secretOf({ name, token: secret }: TokenWithSecret): ShownSecret {
  return { title: `Secret of “${name}”`, label: 'the token', secret };
}
