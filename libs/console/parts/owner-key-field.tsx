import type { ReactNode } from 'react';
import { TextField } from './form';

interface OwnerKeyFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly help?: ReactNode;
}

export function OwnerKeyField({ value, change, help }: OwnerKeyFieldProps) {
  return (
    <>
      {/* Password managers keep the key under a name. */}
      <input type="text" autoComplete="username" value="owner" readOnly hidden />
      <TextField
        name="owner_key"
        label="Owner key"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={value}
        change={change}
        help={help}
      />
    </>
  );
}
