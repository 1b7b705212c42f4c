{{/* The image of the operator and of the components: repository:tag, repository@digest or repository:tag@digest. */}}
{{- define "multicluster-engine.image" -}}
{{- $image := .Values.image | default dict -}}
{{- $tag := $image.tag -}}
{{- if not (or $tag $image.digest) }}{{ $tag = .Chart.AppVersion }}{{ end -}}
{{- required "image.repository is not set: no image of this version is published; build and push one (make image), and name it, such as registry.example.com/multicluster-engine" $image.repository -}}
{{- with $tag }}:{{ . }}{{ end -}}
{{- with $image.digest }}@{{ . }}{{ end -}}
{{- end -}}
