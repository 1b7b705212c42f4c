{{/* The image of the operator and of the components: repository:tag, repository@digest or repository:tag@digest. */}}
{{- define "multicluster-engine.image" -}}
{{- $tag := .Values.image.tag -}}
{{- if not (or $tag .Values.image.digest) }}{{ $tag = .Chart.AppVersion }}{{ end -}}
{{- .Values.image.repository -}}
{{- with $tag }}:{{ . }}{{ end -}}
{{- with .Values.image.digest }}@{{ . }}{{ end -}}
{{- end -}}
