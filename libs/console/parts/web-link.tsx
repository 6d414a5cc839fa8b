import type { ReactNode } from 'react';
import { isWebAddress } from './web-address';

interface WebLinkProps {
  /** Text from a third party. */
  readonly address: string;
  readonly children: ReactNode;
}

/** A link to another site in a new tab, or its text alone where the address is none of the web. */
export function WebLink({ address, children }: WebLinkProps) {
  if (!isWebAddress(address)) return <>{children}</>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" draggable={false}>
      {children}
    </a>
  );
}
