import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';

const manager = Toast.createToastManager();

/** Says that something was done. What was refused is said beside its cause instead. */
export function say(title: string): void {
  manager.add({ title });
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title />
      <Toast.Close className="button quiet" aria-label="Close">
        ✕
      </Toast.Close>
    </Toast.Root>
  ));
}
