import { Section } from '../../parts/page';
import { Copyable } from '../../parts/values';

/** How a token is put to use. */
export function InCi() {
  const server = location.origin;
  const lines = [
    `export SLUICE_SERVER=${server}`,
    'export SLUICE_TOKEN=…   # from the secrets of your CI',
    'sluice upload www --app com.example.shop --version 1.4.0 --channel staging --wait',
  ].join('\n');
  return (
    <Section title="Use a token in CI">
      <p>
        Keep the token in the secrets of your CI, never in a repository. The command <code>sluice</code> reads it from{' '}
        <code>SLUICE_TOKEN</code>:
      </p>
      <Copyable text={lines} label="the commands for CI" block />
      <p className="dim">
        The page <code>docs/ci.md</code> of the source has whole releases for GitHub Actions, any other CI, and{' '}
        <code>curl</code>. Every call a token can make is described at <a href="/docs">/docs</a>.
      </p>
    </Section>
  );
}
