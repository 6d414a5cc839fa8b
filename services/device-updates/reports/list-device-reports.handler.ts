import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { devicePlatformSchema, type KeptReport, listDeviceReports, type ReplyOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { beginningWith, readMetric } from './domain/report';
import { DeviceHashes } from './device-hashes';
import { deviceReports, idsOf, type DeviceReport } from './device-reports';
import { errorTextId, OTHER_TEXT, ReportErrors } from './report-errors';

export class ListDeviceReports extends QueryOf(listDeviceReports) {}

@QueryHandler(ListDeviceReports)
export class ListDeviceReportsHandler implements IQueryHandler<ListDeviceReports> {
  constructor(
    private readonly state: StateStore,
    private readonly hashes: DeviceHashes,
  ) {}

  async execute({ request }: ListDeviceReports): Promise<ReplyOf<typeof listDeviceReports>> {
    const { appId, deviceId, page, perPage } = request;
    const reports = this.state.rows(deviceReports);
    const rows: DeviceReport[] = [];
    let skip = (page - 1) * perPage;
    let total = 0;
    for (const device of await this.hashes.all(appId, deviceId)) {
      const where = { id: beginningWith(idsOf(appId, device)) };
      const count = await reports.count(where);
      const limit = perPage - rows.length;
      if (skip < count && limit > 0) rows.push(...(await reports.find({ where, offset: skip, limit })));
      skip = Math.max(0, skip - count);
      total += count;
    }
    const texts = await new ReportErrors(this.state).texts(rows.flatMap((row) => errorIdOf(row) ?? []));
    return { items: rows.map((row) => kept(row, texts.get(errorIdOf(row) ?? ''))), total };
  }
}

function errorIdOf(row: DeviceReport): string | undefined {
  return row.errorId === undefined ? undefined : errorTextId(row, row.errorId);
}

function kept(row: DeviceReport, text: string | undefined): KeptReport {
  const read = readMetric(row.metric);
  const active = read.report === 'active' ? read : undefined;
  const ended = read.report === 'active' ? undefined : read;
  return {
    id: row.id.split('/').slice(2).join('/'),
    report: read.report,
    status: ended?.status ?? null,
    build_id: ended?.buildId ?? null,
    version: active?.version ?? null,
    native_version: active?.nativeVersion ?? null,
    platform: devicePlatformSchema.safeParse(active?.platform).data ?? null,
    at: row.at,
    error: text ?? row.error ?? (row.errorId === undefined ? null : OTHER_TEXT),
    previous_version: row.previousVersion ?? null,
  };
}
