import type { AccessToken } from '@sluice/contracts';
import { api } from '../../api/client';
import { Confirm, Modal } from '../../parts/dialog';
import { showToken, TokenForm, type TokenWithSecret } from './token-form';

/** Which dialog is open, and of which token. */
export type TokenAct =
  { readonly kind: 'make' } | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly token: AccessToken };

interface TokenDialogsProps {
  readonly act: TokenAct | undefined;
  readonly close: () => void;
}

export function TokenDialogs({ act, close }: TokenDialogsProps) {
  const token = act === undefined || act.kind === 'make' ? undefined : act.token;
  const path = `/tokens/${token?.id ?? ''}`;
  return (
    <>
      <Modal title="New access token" open={act?.kind === 'make'} close={close}>
        <TokenForm close={close} />
      </Modal>
      <Modal title={`Change “${token?.name ?? ''}”`} open={act?.kind === 'edit'} close={close}>
        {token !== undefined && <TokenForm token={token} close={close} />}
      </Modal>
      <Confirm
        title={`Rotate “${token?.name ?? ''}”`}
        verb="Rotate"
        open={act?.kind === 'rotate'}
        close={close}
        confirm={async () => showToken(await api.post<TokenWithSecret>(`${path}/rotate`))}
        refresh={[['tokens']]}
      >
        <p>The token gets a new secret. The current one stops working immediately.</p>
      </Confirm>
      <Confirm
        title={`Revoke “${token?.name ?? ''}”`}
        verb="Revoke permanently"
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
