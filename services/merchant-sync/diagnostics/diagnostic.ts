import type { Diagnostic } from '@sluice/contracts';

interface Finding {
  /** How many faults there are, or whether there is one. */
  readonly count: number | boolean;
  /** Of what is wrong; `error` when it is missing. */
  readonly status?: 'warning' | 'error';
  readonly wrong: string;
  readonly well: string;
  /** Why it could not be tried. */
  readonly untried?: string | undefined;
  /** Whether a repair helps where it is wrong. */
  readonly repairable?: boolean;
}

/** One row of the diagnostics. */
export function diagnostic(
  id: Diagnostic['id'],
  area: Diagnostic['area'],
  { count, status = 'error', wrong, well, untried, repairable = false }: Finding,
): Diagnostic {
  const isWrong = Number(count) > 0;
  return {
    ...{ id, area, status: isWrong ? status : 'ok', tried: isWrong || untried === undefined },
    ...{ message: isWrong ? wrong : (untried ?? well), count: Number(count), repairable: repairable && isWrong },
  };
}
