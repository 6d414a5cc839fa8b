import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ApiError } from './client';

export interface Session {
  readonly owner: { readonly id: number; readonly name: string; readonly operator: boolean };
  readonly expires_at: string | null;
}

/** Who is signed in; null when nobody is. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async (): Promise<Session | null> => {
      try {
        return await api.get<Session>('/session');
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ownerKey: string) => api.post<Session>('/session', { owner_key: ownerKey }),
    onSuccess: (session) => {
      client.clear();
      client.setQueryData(['session'], session);
    },
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/session'),
    onSettled: () => {
      client.clear();
      client.setQueryData(['session'], null);
    },
  });
}
