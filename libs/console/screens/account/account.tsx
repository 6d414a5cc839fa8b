import { PageHead } from '../../parts/page';

export default function Account() {
  return <PageHead title="Account" />;
}
