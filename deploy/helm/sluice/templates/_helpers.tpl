{{/* The metadata of an object: (list $ NAME). */}}
{{- define "sluice.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
namespace: {{ $root.Release.Namespace }}
labels:
  app.kubernetes.io/name: {{ index . 1 }}
  app.kubernetes.io/part-of: sluice
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "sluice.settings" -}}
HOST: 0.0.0.0
PORT: '8080'
METRICS_HOST: 0.0.0.0
METRICS_PORT: '9464'
DATA_DIR: /data
STOP_GRACE_MS: '20000'
PUBLIC_URL: {{ .Values.publicUrl | quote }}
{{ toYaml .Values.settings }}
{{- end }}

{{/* The host of publicUrl, unless it is an address. */}}
{{- define "sluice.host" -}}
{{- $host := (urlParse .Values.publicUrl).hostname -}}
{{- if not (regexMatch "^[0-9.]+$|:" $host) }}{{ $host }}{{ end -}}
{{- end }}
