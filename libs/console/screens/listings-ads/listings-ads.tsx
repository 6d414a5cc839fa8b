import { PageHead } from '../../parts/page';

export default function ListingsAds() {
  return <PageHead title="ListingsAds" />;
}
