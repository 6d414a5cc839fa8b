import type { AccessToken } from '@sluice/contracts';
import { api } from '../../api/client';
import { Confirm, Modal } from '../../parts/dialog';
import type { ShownSecret } from '../../parts/secret-dialog';
import { useSend } from '../../parts/send';
import { TokenForm, type TokenWish } from './token-form';

export type TokenWithSecret = AccessToken & { readonly token: string };

/** Which dialog is open, and of which token. */
export type TokenAct =
  { readonly kind: 'make' } | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly token: AccessToken };

interface TokenDialogsProps {
  readonly act: TokenAct | undefined;
  readonly close: () => void;
  readonly show: (secret: ShownSecret) => void;
}

export function TokenDialogs({ act, close, show }: TokenDialogsProps) {
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
        confirm={async () => show(secretOf(await api.post<TokenWithSecret>(`${path}/rotate`)))}
        refresh={[['tokens']]}
      >
        <p>The token gets a new secret. The present one is refused at once, wherever it is in use.</p>
      </Confirm>
      <Confirm
        title={`Revoke “${token?.name ?? ''}”`}
        verb="Revoke for good"
        open={act?.kind === 'revoke'}
        close={close}
        confirm={() => api.post(`${path}/revoke`)}
        refresh={[['tokens']]}
        said="The token is revoked."
      >
        <p>From now on it is refused everywhere. A revoked token can’t be brought back; make another one instead.</p>
      </Confirm>
    </>
  );
}

function MakeToken({ close, show }: { readonly close: () => void; readonly show: (secret: ShownSecret) => void }) {
  const make = useSend((wish: TokenWish) => api.post<TokenWithSecret>('/tokens', wish), {
    refresh: [['tokens']],
    done: (made) => {
      close();
      show(secretOf(made));
    },
  });
  return <TokenForm send={make} cancel={close} />;
}

function EditToken({ token, close }: { readonly token: AccessToken; readonly close: () => void }) {
  const edit = useSend((wish: TokenWish) => api.patch<AccessToken>(`/tokens/${token.id}`, wish), {
    refresh: [['tokens']],
    said: 'The token is changed.',
    done: close,
  });
  return <TokenForm token={token} send={edit} cancel={close} />;
}

function secretOf({ name, token: secret }: TokenWithSecret): ShownSecret {
  return { title: `Secret of “${name}”`, label: 'the token', secret };
}
