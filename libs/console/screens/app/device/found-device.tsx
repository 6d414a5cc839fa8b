import { useQuery } from '@tanstack/react-query';
import type { ApiKey, App, Explanation, KeptReport } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { listAll, query } from '../../../api/client';
import { useGet, useList } from '../../../api/queries';
import { REPORTS_REFRESH_MS } from '../../../api/reports';
import { Name } from '../../../parts/name';
import { Facts, rowHead, Section, Table } from '../../../parts/page';
import { QueryState } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/device';
import { platforms, versionOf } from '../../../texts/shared';
import { useBuild } from '../../builds/data';
import { DeviceData } from './device-data';
import { ExplainForm, type Explained, type ExplainInput } from './explain-form';
import { ExplanationSteps } from './explanation';
import { PinDevice } from './pin-device';
import { pathOf, type DeviceProps, type StoredDevice } from './stored-device';

/** Of a device with more reports, these are shown. The server does not order them by time. */
const MOST_REPORTS = 200;

/** What is stored about a device, and what an update check of it returns now. */
export function FoundDevice({ app, device }: DeviceProps) {
  const found = useGet<StoredDevice>(pathOf({ app, device }), ['device', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
  });
  if (found.data === undefined) {
    return (
      <Section title={texts.lastReport}>
        <QueryState of={found} what={texts.loading} />
      </Section>
    );
  }
  const { state } = found.data;
  return (
    <>
      <Section title={texts.lastReport}>
        {state === null ? (
          <Unknown app={app} />
        ) : (
          <LastReport app={app} state={state} chosen={found.data.chosen_channel?.channel} />
        )}
      </Section>
      <CheckNow app={app} device={device} stored={found.data} />
      {found.data.reports > 0 && <Reports app={app} device={device} count={found.data.reports} />}
      <PinDevice app={app} device={device} stored={found.data} />
      <DeviceData app={app} device={device} stored={found.data} />
    </>
  );
}

function Unknown({ app }: { readonly app: App }) {
  return (
    <>
      <p className="note warn" role="status">
        {texts.unknown}
      </p>
      <p>{texts.unknownHelp}</p>
      <ul>
        {texts.unknownReasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
        <li>
          {texts.keyRejected} <Link to={`/apps/${app.id}/api-keys`}>{texts.showKeys}</Link>
        </li>
      </ul>
    </>
  );
}

interface LastReportProps {
  readonly app: App;
  readonly state: NonNullable<StoredDevice['state']>;
  /** The channel that the device has chosen. */
  readonly chosen: string | undefined;
}

function LastReport({ app, state, chosen }: LastReportProps) {
  const keys = useList<ApiKey>(`/apps/${app.id}/api-keys${query({ per_page: 50 })}`, ['keys', app.id]);
  const channel = chosen ?? state.channel;
  const key = keys.data?.data.find(({ id }) => id === state.api_key_id);
  const outcome = state.last_outcome;
  return (
    <Facts
      facts={{
        [texts.time]: <Time at={state.last_seen_at} />,
        [texts.bundleVersion]: state.version === null ? texts.notReported : <Name>{state.version}</Name>,
        [texts.native]: state.native_version === null ? texts.notReported : <Name>{state.native_version}</Name>,
        [texts.platform]: state.platform === null ? texts.notReported : platforms[state.platform],
        [texts.channel]: channel ?? texts.channelUnknown,
        [texts.apiKey]:
          state.api_key_id === null ? (
            texts.notReported
          ) : (
            <Link to={`/apps/${app.id}/api-keys`}>{key?.name ?? texts.keyOf(state.api_key_id)}</Link>
          ),
        [texts.lastOutcome]:
          outcome === null ? (
            texts.notReported
          ) : (
            <>
              {texts.outcomes[`${outcome.report}/${outcome.status}`]}: <BuildName app={app} id={outcome.build_id} />
            </>
          ),
      }}
    />
  );
}

/** A build may be deleted. */
function BuildName({ app, id }: { readonly app: App; readonly id: number }) {
  const { data } = useBuild(app, id);
  return <Link to={`/apps/${app.id}/builds/${id}`}>{versionOf(data?.version, id)}</Link>;
}

interface StoredProps extends DeviceProps {
  readonly stored: StoredDevice;
}

/** With the values of the last report, and with others. */
function CheckNow({ app, device, stored: { state, chosen_channel: chosen } }: StoredProps) {
  const last = chosen?.channel ?? state?.channel ?? '';
  const isKnown = app.channels.includes(last);
  const reported: ExplainInput = {
    device,
    version: state?.version ?? '',
    app_version: state?.native_version ?? '',
    fingerprint: '',
    embedded_version: '',
    attributes: '',
    platform: state?.platform ?? (app.platform === 'android' ? 'android' : 'ios'),
    channel: isKnown ? last : 'production',
  };
  // Without a channel, the server takes the default of the platform.
  const asked = query({ ...reported, channel: isKnown ? last : undefined });
  const now = useGet<Explanation>(`/apps/${app.id}/explain${asked}`, ['explain', app.id], {
    refetchInterval: REPORTS_REFRESH_MS,
    enabled: reported.version !== '',
  });
  const [input, setInput] = useState(reported);
  const [explained, setExplained] = useState<Explained>();
  return (
    <>
      {reported.version !== '' && (
        <Section title={texts.checkNow}>
          <QueryState of={now} what={texts.loadingCheck} />
          {now.data !== undefined && <ExplanationSteps app={app} of={{ input: reported, explanation: now.data }} />}
          <p className="dim">
            {texts.checkNowHelp} {!isKnown && texts.defaultChannel}
          </p>
        </Section>
      )}
      <Section title={texts.lookup}>
        <p className="dim">{texts.lookupHelp}</p>
        <details open={reported.version === ''}>
          <summary>{texts.askAsIf}</summary>
          <ExplainForm
            app={app}
            input={input}
            change={(part) => setInput({ ...input, ...part })}
            explained={setExplained}
          />
        </details>
        {explained !== undefined && (
          <>
            <h3>{texts.result}</h3>
            {JSON.stringify(explained.input) !== JSON.stringify(input) && (
              <p className="note warn" role="status">
                {texts.outdated}
              </p>
            )}
            <ExplanationSteps app={app} of={explained} />
          </>
        )}
      </Section>
    </>
  );
}

function Reports({ app, device, count }: DeviceProps & { readonly count: number }) {
  const path = `${pathOf({ app, device })}/reports`;
  const reports = useQuery({
    queryKey: ['device', app.id, path],
    queryFn: ({ signal }) => listAll<KeptReport>(path, signal, MOST_REPORTS),
    refetchInterval: REPORTS_REFRESH_MS,
  });
  const newest = [...(reports.data ?? [])].sort((one, other) => (one.at < other.at ? 1 : -1));
  return (
    <Section title={texts.reports}>
      <QueryState of={reports} what={texts.loading} />
      {reports.data !== undefined && (
        <Table
          stacks
          label={texts.reports}
          rows={newest}
          columns={[
            [
              rowHead(texts.reported),
              (report) => (
                <>
                  {report.report === 'active'
                    ? texts.active
                    : texts.outcomes[`${report.report}/${report.status ?? 'complete'}`]}
                  {report.inferred && <span className="dim"> {texts.inferred}</span>}
                </>
              ),
            ],
            [texts.bundleVersion, (report) => <OfReport app={app} report={report} />],
            [texts.time, ({ at }) => <Time at={at} />],
            [texts.error, ({ error }) => (error === null ? <span className="dim">–</span> : <Name>{error}</Name>)],
          ]}
        />
      )}
      <p className="dim">
        {texts.reportsHelp} {count > MOST_REPORTS && texts.someReports(MOST_REPORTS, count)}
      </p>
    </Section>
  );
}

function OfReport({ app, report }: { readonly app: App; readonly report: KeptReport }) {
  return report.build_id === null ? <Name>{report.version ?? ''}</Name> : <BuildName app={app} id={report.build_id} />;
}
