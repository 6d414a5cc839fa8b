import type { App, Build } from '@sluice/contracts';
import { Link } from 'wouter';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Facts, Section } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/recall';
import { buildId } from '../../../texts/shared';
import { useRecall, type RecallStatus } from './recall-dialog';

/** How far the recall of a build is. */
export function RecallSection({ app, build }: { readonly app: App; readonly build: Build }) {
  const recall = useRecall(app, build.id, REPORTS_REFRESH_MS);
  return (
    <Section title={texts.section}>
      {recall.isPending && <Loading what={texts.loadingProgress} />}
      {recall.isError && <ErrorNote error={recall.error} retry={() => void recall.refetch()} />}
      {recall.data !== undefined && <Progress app={app} recall={recall.data} />}
    </Section>
  );
}

function Progress({ app, recall }: { readonly app: App; readonly recall: RecallStatus }) {
  const { recalled_at: at, reason, target, replacement, devices } = recall;
  const { on_recalled: left, on_replacement: moved } = devices;
  const share = left + moved === 0 ? 100 : Math.floor((100 * moved) / (left + moved));
  const source = typeof target === 'number' && <Link to={`/apps/${app.id}/builds/${target}`}>{buildId(target)}</Link>;
  return (
    <>
      <Facts
        facts={{
          [texts.since]: <Time at={at} />,
          [texts.reason]: reason,
          [texts.devicesGet]:
            replacement !== null
              ? texts.version(replacement.version, source)
              : target === 'embedded'
                ? texts.embedded
                : texts.nothing,
          [texts.stillRun]: left.toLocaleString(),
          ...(replacement !== null && { [texts.moved]: moved.toLocaleString() }),
        }}
      />
      {replacement !== null && left + moved > 0 && (
        <>
          <div className="bar-meter" aria-hidden="true">
            <div style={{ width: `${share}%` }} />
          </div>
          <p className="dim">{texts.progress(share)}</p>
        </>
      )}
    </>
  );
}
