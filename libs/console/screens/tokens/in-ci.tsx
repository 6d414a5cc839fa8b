import { Section } from '../../parts/page';
import { Copyable } from '../../parts/values';
import { ciUpload } from './ci-upload';

/** How a token is put to use. */
export function InCi() {
  return (
    <Section title="Use a token in CI">
      <p>
        Keep the token in the secrets of your CI, never in a repository, and give it to the job as{' '}
        <code>SLUICE_TOKEN</code>. This uploads the folder <code>www</code>:
      </p>
      <Copyable text={ciUpload(location.origin)} label="the commands for CI" block />
      <p className="dim">
        The page <code>docs/ci.md</code> of the source has whole releases for GitHub Actions and any other CI, also with
        the command <code>sluice</code>, which waits until the bundle is checked. Every call that a token can make is
        described at <a href="/docs">/docs</a>.
      </p>
    </Section>
  );
}
