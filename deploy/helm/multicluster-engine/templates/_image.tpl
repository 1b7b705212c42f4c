{{/* The image of the operator and of the components: repository:tag, repository@digest or repository:tag@digest. */}}
{{- define "multicluster-engine.image" -}}
{{- $image := .Values.image | default dict -}}
{{- $tag := $image.tag -}}
{{- if not (or $tag $image.digest) }}{{ $tag = .Chart.AppVersion }}{{ end -}}
{{- $image.repository -}}
{{- with $tag }}:{{ . }}{{ end -}}
{{- with $image.digest }}@{{ . }}{{ end -}}
{{- end -}}
