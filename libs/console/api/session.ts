import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api, ApiError } from './client';
import { showSecret } from './shown-secret';
import { resumeRequests, signedInAs, signedInOwner } from './ended-session';

export interface Session {
  readonly owner: { readonly id: number; readonly name: string; readonly operator: boolean };
  readonly expires_at: string | null;
}

/** The owner who is signed in, or null. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async (): Promise<Session | null> => {
      try {
        const session = await api.get<Session>('/session');
        signedInAs(session.owner.id);
        return session;
      } catch (error) {
        if (isUnauthenticated(error)) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

/** Whether this is the first owner of the installation. Only the first owner can use the listings module. */
export function useIsOperator(): boolean {
  return useSession().data?.owner.operator === true;
}

const startSession = (ownerKey: string): Promise<Session> => api.post<Session>('/session', { owner_key: ownerKey });

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({ mutationFn: startSession, onSuccess: (session) => switchSession(client, session) });
}

/** After a session has ended while the console was in use: continues as the same owner, or leaves. */
export function useSignInAgain() {
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: startSession,
    onSuccess: (session) => {
      // No data of one owner is shown to another owner, or sent as theirs.
      if (session.owner.id !== signedInOwner()) {
        location.reload();
        return;
      }
      client.setQueryData(['session'], session);
      resumeRequests();
    },
  });
  const leave = (): void => switchSession(client, null);
  return { signIn, leave };
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.delete('/session').catch((error: unknown) => {
        if (!isUnauthenticated(error)) throw error;
      }),
    onSuccess: () => switchSession(client, null),
  });
}

const isUnauthenticated = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Data of the former owner is removed. */
function switchSession(client: QueryClient, session: Session | null): void {
  signedInAs(session?.owner.id);
  showSecret(undefined);
  client.removeQueries({ predicate: ({ queryKey: [topic] }) => topic !== 'session' });
  client.setQueryData(['session'], session);
}
